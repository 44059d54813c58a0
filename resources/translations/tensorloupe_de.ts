<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>QObject</name>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>ssh asks – Tensorloupe</source>
        <translation>ssh fragt – Tensorloupe</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>Opening</source>
        <translation>Öffnet</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source> in %1</source>
        <translation> in %1</translation>
    </message>
    <message>
        <source>%1 attends to %2: %3%4</source>
        <translation>%1 achtet auf %2: %3%4</translation>
    </message>
    <message>
        <source>, the greatest of %1 by %2</source>
        <translation>, der größte von %1 bei %2</translation>
    </message>
    <message>
        <source>Diverging</source>
        <translation>Divergierend</translation>
    </message>
    <message>
        <source>Grey</source>
        <translation>Grau</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>nicht genug Speicher</translation>
    </message>
    <message>
        <source>an exception that is no std::exception</source>
        <translation>eine Ausnahme, die keine std::exception ist</translation>
    </message>
    <message>
        <source> (%1 times)</source>
        <translation> (%1-mal)</translation>
    </message>
    <message>
        <source>cannot write %1: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>cannot write %1 (png, svg and pdf are known)</source>
        <translation>%1 kann nicht geschrieben werden (bekannt sind png, svg und pdf)</translation>
    </message>
    <message>
        <source>%1 began again</source>
        <translation>%1 begann von vorn</translation>
    </message>
    <message>
        <source>no function changed</source>
        <translation>keine Funktion geändert</translation>
    </message>
    <message>
        <source>changed: %1</source>
        <translation>geändert: %1</translation>
    </message>
    <message>
        <source>From here on the edited source ran: %1%2</source>
        <translation>Ab hier lief der geänderte Quelltext: %1%2</translation>
    </message>
    <message>
        <source>%1: %2 NaN and %3 Inf among %4</source>
        <translation>%1: %2 NaN und %3 Inf, insgesamt %4</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Nicht jetzt: %1</translation>
    </message>
    <message>
        <source>cannot write %1</source>
        <translation>%1 kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>Save plot</source>
        <translation>Diagramm speichern</translation>
    </message>
    <message>
        <source>Pictures and data (*.png *.svg *.pdf *.csv)</source>
        <translation>Bilder und Daten (*.png *.svg *.pdf *.csv)</translation>
    </message>
    <message>
        <source>edit breakpoint</source>
        <translation>Haltepunkt bearbeiten</translation>
    </message>
    <message>
        <source>remove breakpoint</source>
        <translation>Haltepunkt entfernen</translation>
    </message>
    <message>
        <source>add breakpoint</source>
        <translation>Haltepunkt hinzufügen</translation>
    </message>
    <message>
        <source>%1, token %2</source>
        <translation>%1, Token %2</translation>
    </message>
    <message>
        <source>, in the vocabulary %1</source>
        <translation>, im Vokabular %1</translation>
    </message>
    <message>
        <source>, special</source>
        <translation>, Sonderzeichen</translation>
    </message>
    <message>
        <source>, put there by the tokenizer</source>
        <translation>, vom Tokenizer eingefügt</translation>
    </message>
    <message>
        <source>Of a first run, with what is set up once</source>
        <translation>Von einem ersten Lauf, samt dem, was einmalig eingerichtet wird</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>Operator</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>What only one of the runs has</source>
        <translation>Was nur einer der Läufe hat</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Δ max</source>
        <translation>Δ max</translation>
    </message>
    <message>
        <source>Δ relative</source>
        <translation>Δ relativ</translation>
    </message>
    <message>
        <source>ULP</source>
        <translation>ULP</translation>
    </message>
    <message>
        <source>SNR</source>
        <translation>SNR</translation>
    </message>
    <message>
        <source>Δ gradient</source>
        <translation>Δ Gradient</translation>
    </message>
    <message>
        <source>In the reference</source>
        <translation>In der Referenz</translation>
    </message>
    <message>
        <source>Parameters beside the reference&apos;s</source>
        <translation>Parameter neben denen der Referenz</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Slower by</source>
        <translation>Langsamer um</translation>
    </message>
    <message>
        <source>Bytes made</source>
        <translation>Erzeugte Bytes</translation>
    </message>
    <message>
        <source>Bigger by</source>
        <translation>Größer um</translation>
    </message>
    <message>
        <source>Where this run is slower or bigger</source>
        <translation>Wo dieser Lauf langsamer oder größer ist</translation>
    </message>
    <message>
        <source>+ only here</source>
        <translation>+ nur hier</translation>
    </message>
    <message>
        <source>− only there</source>
        <translation>− nur dort</translation>
    </message>
    <message>
        <source>≠ replaced</source>
        <translation>≠ ersetzt</translation>
    </message>
    <message>
        <source>≠ differs</source>
        <translation>≠ weicht ab</translation>
    </message>
    <message>
        <source>only here</source>
        <translation>nur hier</translation>
    </message>
    <message>
        <source>only there</source>
        <translation>nur dort</translation>
    </message>
    <message>
        <source>Only warm times can be compared: Run &gt; Time it properly, before pinning</source>
        <translation>Nur warme Zeiten lassen sich vergleichen: Ausführen &gt; Genau messen, vor dem Anheften</translation>
    </message>
    <message>
        <source>channels last</source>
        <translation>channels last</translation>
    </message>
    <message>
        <source>layouts as they are</source>
        <translation>Layouts wie sie sind</translation>
    </message>
    <message>
        <source>fused</source>
        <translation>fusioniert</translation>
    </message>
    <message>
        <source>not fused</source>
        <translation>nicht fusioniert</translation>
    </message>
    <message>
        <source>linears joined</source>
        <translation>Linears zusammengefasst</translation>
    </message>
    <message>
        <source>linears transposed</source>
        <translation>Linears transponiert</translation>
    </message>
    <message>
        <source>written in place</source>
        <translation>an Ort und Stelle geschrieben</translation>
    </message>
    <message>
        <source>shares its memory with what bears the same letter</source>
        <translation>teilt seinen Speicher mit dem, was denselben Buchstaben trägt</translation>
    </message>
    <message>
        <source>made of other operators</source>
        <translation>aus anderen Operatoren zusammengesetzt</translation>
    </message>
    <message>
        <source>view: shares memory</source>
        <translation>View: teilt den Speicher</translation>
    </message>
    <message>
        <source>random: draws from the generator</source>
        <translation>zufällig: zieht aus dem Generator</translation>
    </message>
    <message>
        <source>gradient ends here</source>
        <translation>der Gradient endet hier</translation>
    </message>
    <message>
        <source>Schema</source>
        <translation>Schema</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>by keyword only</source>
        <translation>nur als Schlüsselwort</translation>
    </message>
    <message>
        <source>Arguments and results</source>
        <translation>Argumente und Ergebnisse</translation>
    </message>
    <message>
        <source>Keeps no tensor for backward.</source>
        <translation>Behält keinen Tensor für rückwärts.</translation>
    </message>
    <message>
        <source> (if the gradient of %1 is wanted)</source>
        <translation> (falls der Gradient von %1 gebraucht wird)</translation>
    </message>
    <message>
        <source>Keeps for backward: %1</source>
        <translation>Behält für rückwärts: %1</translation>
    </message>
    <message>
        <source>Gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>Backward node %1.</source>
        <translation>Rückwärtsknoten %1.</translation>
    </message>
    <message>
        <source>None: results never require a gradient.</source>
        <translation>Keiner: Ergebnisse verlangen nie einen Gradienten.</translation>
    </message>
    <message>
        <source>Of the operators that it is made of; in all:</source>
        <translation>Der der Operatoren, aus denen er besteht; insgesamt:</translation>
    </message>
    <message>
        <source>None.</source>
        <translation>Keiner.</translation>
    </message>
    <message>
        <source>Of the operators that it is made of.</source>
        <translation>Der der Operatoren, aus denen er besteht.</translation>
    </message>
    <message>
        <source>&lt;i&gt;grad&lt;/i&gt; is the gradient that arrives for the result, &lt;i&gt;out&lt;/i&gt; the result.</source>
        <translation>&lt;i&gt;grad&lt;/i&gt; ist der Gradient, der für das Ergebnis ankommt, &lt;i&gt;out&lt;/i&gt; das Ergebnis.</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>The sum of the operators that it is made of.</source>
        <translation>Die Summe der Operatoren, aus denen er besteht.</translation>
    </message>
    <message>
        <source>The record counts arithmetic operations and bytes moved from the shapes.</source>
        <translation>Der Eintrag zählt Rechenoperationen und bewegte Bytes aus den Formen.</translation>
    </message>
    <message>
        <source>Every input is read and every output written once; no arithmetic is counted.</source>
        <translation>Jede Eingabe wird einmal gelesen und jede Ausgabe einmal geschrieben; Rechenoperationen werden nicht gezählt.</translation>
    </message>
    <message>
        <source>median of %1 warm runs</source>
        <translation>Median von %1 warmen Läufen</translation>
    </message>
    <message>
        <source>first recorded call of its kernel</source>
        <translation>erster aufgezeichneter Aufruf seines Kernels</translation>
    </message>
    <message>
        <source>Set-up</source>
        <translation>Einrichtung</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Arithmetic</source>
        <translation>Rechenoperationen</translation>
    </message>
    <message>
        <source>Bytes moved</source>
        <translation>Bewegte Bytes</translation>
    </message>
    <message>
        <source>Intensity</source>
        <translation>Intensität</translation>
    </message>
    <message>
        <source>memory is likely the limit</source>
        <translation>begrenzt wohl durch den Speicher</translation>
    </message>
    <message>
        <source>arithmetic is likely the limit</source>
        <translation>begrenzt wohl durch das Rechnen</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>ran</source>
        <translation>lief</translation>
    </message>
    <message>
        <source>declined: </source>
        <translation>abgelehnt: </translation>
    </message>
    <message>
        <source>None of its own: it calls other operators.</source>
        <translation>Kein eigener: Er ruft andere Operatoren auf.</translation>
    </message>
    <message>
        <source>None of its own: it calls other operators, whose last kernel was %1.</source>
        <translation>Kein eigener: Er ruft andere Operatoren auf, deren letzter Kernel %1 war.</translation>
    </message>
    <message>
        <source>In this model</source>
        <translation>In diesem Modell</translation>
    </message>
    <message>
        <source>Not called.</source>
        <translation>Nicht aufgerufen.</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>Forms</source>
        <translation>Formen</translation>
    </message>
    <message>
        <source>Overloads</source>
        <translation>Überladungen</translation>
    </message>
    <message>
        <source>Related</source>
        <translation>Verwandt</translation>
    </message>
    <message>
        <source>A statement of the language, no operator: it has no record.</source>
        <translation>Eine Anweisung der Sprache, kein Operator: Sie hat keinen Eintrag.</translation>
    </message>
    <message>
        <source>Where a gradient ends: it is added to the grad of a parameter or input.</source>
        <translation>Wo ein Gradient endet: Er wird zum grad eines Parameters oder einer Eingabe addiert.</translation>
    </message>
    <message>
        <source>A module: a call of its forward. Its operators are inside.</source>
        <translation>Ein Modul: ein Aufruf seines forward. Seine Operatoren sind darin.</translation>
    </message>
    <message>
        <source>ranks:%1 is not known; there are ranks:differ, ranks:missing, ranks:nan</source>
        <translation>ranks:%1 ist unbekannt; es gibt ranks:differ, ranks:missing, ranks:nan</translation>
    </message>
    <message>
        <source>%1 is no number of a rank</source>
        <translation>%1 ist keine Nummer eines Rangs</translation>
    </message>
    <message>
        <source>%1 is no quantity; there are time, bytes, memory, flops, min, max, mean, std, absmax, norm, id</source>
        <translation>%1 ist keine Größe; es gibt time, bytes, memory, flops, min, max, mean, std, absmax, norm, id</translation>
    </message>
    <message>
        <source>%1 is no number with a unit like ms or MiB</source>
        <translation>%1 ist keine Zahl mit einer Einheit wie ms oder MiB</translation>
    </message>
    <message>
        <source>%1: is not known; there are op:, scope:, phase:, dtype:, shape:, backend:, ranks:, rank:</source>
        <translation>%1: ist unbekannt; es gibt op:, scope:, phase:, dtype:, shape:, backend:, ranks:, rank:</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>edit</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>edit  %1</source>
        <translation>Änderung  %1</translation>
    </message>
    <message>
        <source>operator; * and ? stand for anything</source>
        <translation>Operator; * und ? stehen für Beliebiges</translation>
    </message>
    <message>
        <source>in a module</source>
        <translation>in einem Modul</translation>
    </message>
    <message>
        <source>forward, backward, optimizer</source>
        <translation>forward, backward, optimizer</translation>
    </message>
    <message>
        <source>of the first output</source>
        <translation>der ersten Ausgabe</translation>
    </message>
    <message>
        <source>of the first output: shape:1x64*</source>
        <translation>der ersten Ausgabe: shape:1x64*</translation>
    </message>
    <message>
        <source>whose kernel ran</source>
        <translation>wessen Kernel lief</translation>
    </message>
    <message>
        <source>as in time&gt;1ms</source>
        <translation>wie in time&gt;1ms</translation>
    </message>
    <message>
        <source>as in bytes&gt;1MiB</source>
        <translation>wie in bytes&gt;1MiB</translation>
    </message>
    <message>
        <source>has NaN</source>
        <translation>enthält NaN</translation>
    </message>
    <message>
        <source>has Inf</source>
        <translation>enthält Inf</translation>
    </message>
    <message>
        <source>a NaN or Inf begins here</source>
        <translation>hier beginnt ein NaN oder Inf</translation>
    </message>
    <message>
        <source>an Inf becomes NaN here</source>
        <translation>hier wird ein Inf zu NaN</translation>
    </message>
    <message>
        <source>a NaN or Inf is passed on</source>
        <translation>ein NaN oder Inf wird weitergereicht</translation>
    </message>
    <message>
        <source>an Inf that is meant, as a mask&apos;s</source>
        <translation>ein gewolltes Inf, etwa das einer Maske</translation>
    </message>
    <message>
        <source>not equal on all ranks</source>
        <translation>nicht auf allen Rängen gleich</translation>
    </message>
    <message>
        <source>not on all ranks</source>
        <translation>nicht auf allen Rängen vorhanden</translation>
    </message>
    <message>
        <source>NaN or Inf on some ranks only</source>
        <translation>NaN oder Inf nur auf einigen Rängen</translation>
    </message>
    <message>
        <source>%1 only in the reference</source>
        <translation>%1 nur in der Referenz</translation>
    </message>
    <message>
        <source>; %1 compiles the expression: see %2</source>
        <translation>; %1 kompiliert den Ausdruck: siehe %2</translation>
    </message>
    <message>
        <source>; %1 has no LLVM IR</source>
        <translation>; %1 hat keine LLVM-IR</translation>
    </message>
    <message>
        <source>; %1 has no machine code of its own</source>
        <translation>; %1 hat keinen eigenen Maschinencode</translation>
    </message>
    <message>
        <source>; %1 runs this kernel: it has no %2 (LLVM compiles kernels where its plugin is there)</source>
        <translation>; %1 führt diesen Kernel aus: %2 fehlt (LLVM kompiliert Kernel, wo sein Plugin vorhanden ist)</translation>
    </message>
    <message>
        <source>; %1, kernel %2 of %3, by %4</source>
        <translation>; %1, Kernel %2 von %3, von %4</translation>
    </message>
    <message>
        <source>; %1 has no kernel: %2</source>
        <translation>; %1 hat keinen Kernel: %2</translation>
    </message>
    <message>
        <source>LLVM IR</source>
        <translation>LLVM-IR</translation>
    </message>
    <message>
        <source>machine code of its own</source>
        <translation>eigener Maschinencode</translation>
    </message>
    <message>
        <source>step %1 of training %2</source>
        <translation>Schritt %1 von Training %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>#%1 of an earlier run</source>
        <translation>#%1 eines früheren Laufs</translation>
    </message>
    <message>
        <source>%1 (library code)</source>
        <translation>%1 (Bibliothekscode)</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>kept by %1</source>
        <translation>behalten von %1</translation>
    </message>
    <message>
        <source>Kept by a kernel from run to run; a first run fills it. It is in no sum</source>
        <translation>Von einem Kernel von Lauf zu Lauf behalten; ein erster Lauf füllt es. Es ist in keiner Summe enthalten</translation>
    </message>
    <message>
        <source>before the run</source>
        <translation>vor dem Lauf</translation>
    </message>
    <message>
        <source>%1 at 0x%2</source>
        <translation>%1 bei 0x%2</translation>
    </message>
    <message>
        <source>there before the first entry</source>
        <translation>vor dem ersten Eintrag vorhanden</translation>
    </message>
    <message>
        <source>from entry %1</source>
        <translation>ab Eintrag %1</translation>
    </message>
    <message>
        <source>never freed</source>
        <translation>nie freigegeben</translation>
    </message>
    <message>
        <source>to %1</source>
        <translation>bis %1</translation>
    </message>
    <message>
        <source>, stream %1</source>
        <translation>, Stream %1</translation>
    </message>
    <message>
        <source>no stack was recorded</source>
        <translation>kein Aufrufstapel aufgezeichnet</translation>
    </message>
    <message>
        <source>… and %1</source>
        <translation>… und %1</translation>
    </message>
    <message>
        <source>Total parameters: %1
Trainable: %2
Frozen: %3
Parameter size: %4
Buffer size: %5
</source>
        <translation>Parameter insgesamt: %1
Trainierbar: %2
Eingefroren: %3
Größe der Parameter: %4
Größe der Puffer: %5
</translation>
    </message>
    <message>
        <source>&lt;details&gt;&lt;summary&gt;and %1 more&lt;/summary&gt;
</source>
        <translation>&lt;details&gt;&lt;summary&gt;und %1 weitere&lt;/summary&gt;
</translation>
    </message>
    <message>
        <source>&lt;p class=&apos;faint&apos;&gt;and %1 more&lt;/p&gt;
</source>
        <translation>&lt;p class=&apos;faint&apos;&gt;und %1 weitere&lt;/p&gt;
</translation>
    </message>
    <message>
        <source>first divergence in backward: %1</source>
        <translation>erste Abweichung rückwärts: %1</translation>
    </message>
    <message>
        <source>by dtype, as torch.testing.assert_close</source>
        <translation>je dtype, wie torch.testing.assert_close</translation>
    </message>
    <message>
        <source>by dtype</source>
        <translation>je dtype</translation>
    </message>
    <message>
        <source>rtol %1, atol %2</source>
        <translation>rtol %1, atol %2</translation>
    </message>
    <message>
        <source>&lt;th class=&apos;n&apos; title=&apos;Signal to noise of the gradient that leaves the module&apos;&gt;Backward&lt;/th&gt;</source>
        <translation>&lt;th class=&apos;n&apos; title=&apos;Signal-Rausch-Abstand des Gradienten, der das Modul verlässt&apos;&gt;Rückwärts&lt;/th&gt;</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>weicht ab</translation>
    </message>
    <message>
        <source>its gradient differs</source>
        <translation>sein Gradient weicht ab</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>close</source>
        <translation>nahe</translation>
    </message>
    <message>
        <source> &lt;span class=&apos;faint&apos;&gt;there %1&lt;/span&gt;</source>
        <translation> &lt;span class=&apos;faint&apos;&gt;dort %1&lt;/span&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;By module&lt;/h3&gt;
</source>
        <translation>&lt;h3&gt;Nach Modul&lt;/h3&gt;
</translation>
    </message>
    <message>
        <source>&lt;tr&gt;&lt;th&gt;Module&lt;/th&gt;&lt;th&gt;Class&lt;/th&gt;%1&lt;th&gt;&lt;/th&gt;&lt;/tr&gt;</source>
        <translation>&lt;tr&gt;&lt;th&gt;Modul&lt;/th&gt;&lt;th&gt;Klasse&lt;/th&gt;%1&lt;th&gt;&lt;/th&gt;&lt;/tr&gt;</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Parameters that differ&lt;/h3&gt;
</source>
        <translation>&lt;h3&gt;Abweichende Parameter&lt;/h3&gt;
</translation>
    </message>
    <message>
        <source>&lt;tr&gt;&lt;th&gt;Parameter&lt;/th&gt;%1&lt;th&gt;&lt;/th&gt;&lt;/tr&gt;</source>
        <translation>&lt;tr&gt;&lt;th&gt;Parameter&lt;/th&gt;%1&lt;th&gt;&lt;/th&gt;&lt;/tr&gt;</translation>
    </message>
    <message>
        <source>this run</source>
        <translation>dieser Lauf</translation>
    </message>
    <message>
        <source>the reference</source>
        <translation>die Referenz</translation>
    </message>
    <message>
        <source>module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>&lt;h3&gt;What only one of them has&lt;/h3&gt;
</source>
        <translation>&lt;h3&gt;Was nur einer der beiden hat&lt;/h3&gt;
</translation>
    </message>
    <message>
        <source>&lt;tr&gt;&lt;th&gt;Only in&lt;/th&gt;&lt;th&gt;&lt;/th&gt;&lt;th&gt;Name&lt;/th&gt;&lt;th&gt;Where&lt;/th&gt;&lt;/tr&gt;</source>
        <translation>&lt;tr&gt;&lt;th&gt;Nur in&lt;/th&gt;&lt;th&gt;&lt;/th&gt;&lt;th&gt;Name&lt;/th&gt;&lt;th&gt;Wo&lt;/th&gt;&lt;/tr&gt;</translation>
    </message>
    <message>
        <source>not compared: the reference has the times of a first run only</source>
        <translation>nicht verglichen: Die Referenz hat nur die Zeiten eines ersten Laufs</translation>
    </message>
    <message>
        <source>not compared: this run has the times of a first run only</source>
        <translation>nicht verglichen: Dieser Lauf hat nur die Zeiten eines ersten Laufs</translation>
    </message>
    <message>
        <source>not compared: both have the times of a first run only</source>
        <translation>nicht verglichen: Beide haben nur die Zeiten eines ersten Laufs</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Time and memory&lt;/h3&gt;
&lt;table&gt;&lt;tr&gt;&lt;th&gt;&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;This run&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Reference&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Difference&lt;/th&gt;&lt;/tr&gt;
</source>
        <translation>&lt;h3&gt;Zeit und Speicher&lt;/h3&gt;
&lt;table&gt;&lt;tr&gt;&lt;th&gt;&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Dieser Lauf&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Referenz&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Differenz&lt;/th&gt;&lt;/tr&gt;
</translation>
    </message>
    <message>
        <source>Operators, warm</source>
        <translation>Operatoren, warm</translation>
    </message>
    <message>
        <source>Peak of memory</source>
        <translation>Speicherspitze</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>&lt;p class=&apos;faint&apos;&gt;Times: %1.&lt;/p&gt;
</source>
        <translation>&lt;p class=&apos;faint&apos;&gt;Zeiten: %1.&lt;/p&gt;
</translation>
    </message>
    <message>
        <source>&lt;p&gt;Where this run is slower:&lt;/p&gt;
</source>
        <translation>&lt;p&gt;Wo dieser Lauf langsamer ist:&lt;/p&gt;
</translation>
    </message>
    <message>
        <source>&lt;tr&gt;&lt;th&gt;Module&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;This run&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Reference&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Slower by&lt;/th&gt;&lt;/tr&gt;</source>
        <translation>&lt;tr&gt;&lt;th&gt;Modul&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Dieser Lauf&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Referenz&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Langsamer um&lt;/th&gt;&lt;/tr&gt;</translation>
    </message>
    <message>
        <source>&lt;section class=&apos;compared&apos;&gt;&lt;h2&gt;Compared with %1&lt;/h2&gt;
</source>
        <translation>&lt;section class=&apos;compared&apos;&gt;&lt;h2&gt;Verglichen mit %1&lt;/h2&gt;
</translation>
    </message>
    <message>
        <source>%1 aligned</source>
        <translation>%1 zugeordnet</translation>
    </message>
    <message>
        <source>%1 compared</source>
        <translation>%1 verglichen</translation>
    </message>
    <message>
        <source>%1 beyond tolerance</source>
        <translation>%1 außerhalb der Toleranz</translation>
    </message>
    <message>
        <source>%1 only in this run</source>
        <translation>%1 nur in diesem Lauf</translation>
    </message>
    <message>
        <source>tolerance %1</source>
        <translation>Toleranz %1</translation>
    </message>
    <message>
        <source>wrote %1</source>
        <translation>%1 geschrieben</translation>
    </message>
    <message>
        <source>-o needs a folder</source>
        <translation>-o braucht einen Ordner</translation>
    </message>
    <message>
        <source>%1 is there and is no report: give another folder</source>
        <translation>%1 existiert und ist kein Bericht: Geben Sie einen anderen Ordner an</translation>
    </message>
    <message>
        <source>cannot make the folder %1</source>
        <translation>der Ordner %1 kann nicht angelegt werden</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Buffers</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Operators the engine lacks</source>
        <translation>Operatoren, die der Engine fehlen</translation>
    </message>
    <message>
        <source>; the first run took %1 more to set kernels up</source>
        <translation>; der erste Lauf brauchte %1 länger, um Kernel einzurichten</translation>
    </message>
    <message>
        <source>median of %1 warm runs%2</source>
        <translation>Median von %1 warmen Läufen%2</translation>
    </message>
    <message>
        <source>of a first run, with %1 first calls of kernels%2: no warm times were measured</source>
        <translation>von einem ersten Lauf, mit %1 ersten Aufrufen von Kerneln%2: warme Zeiten wurden nicht gemessen</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source> at #%1 %2 %3</source>
        <translation> bei #%1 %2 %3</translation>
    </message>
    <message>
        <source>Events with NaN or Inf</source>
        <translation>Ereignisse mit NaN oder Inf</translation>
    </message>
    <message>
        <source>&lt;span class=&apos;bad&apos;&gt;%1&lt;/span&gt;, begun in %2</source>
        <translation>&lt;span class=&apos;bad&apos;&gt;%1&lt;/span&gt;, in %2 davon entstanden</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>&lt;table&gt;&lt;tr&gt;&lt;th&gt;Operator&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Calls&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Time&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Share&lt;/th&gt;&lt;/tr&gt;
</source>
        <translation>&lt;table&gt;&lt;tr&gt;&lt;th&gt;Operator&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Aufrufe&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Zeit&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Anteil&lt;/th&gt;&lt;/tr&gt;
</translation>
    </message>
    <message>
        <source>&lt;/table&gt;
&lt;p class=&apos;faint&apos;&gt;Times: %1.&lt;/p&gt;
</source>
        <translation>&lt;/table&gt;
&lt;p class=&apos;faint&apos;&gt;Zeiten: %1.&lt;/p&gt;
</translation>
    </message>
    <message>
        <source>&lt;h2&gt;Gradients&lt;/h2&gt;
</source>
        <translation>&lt;h2&gt;Gradienten&lt;/h2&gt;
</translation>
    </message>
    <message>
        <source>&lt;p&gt;Backward from: %1&lt;/p&gt;
</source>
        <translation>&lt;p&gt;Rückwärts ab: %1&lt;/p&gt;
</translation>
    </message>
    <message>
        <source>&lt;p&gt;Healthy: no NaN or Inf, nothing vanishes or explodes, every parameter is used.&lt;/p&gt;
</source>
        <translation>&lt;p&gt;Gesund: kein NaN oder Inf, nichts verschwindet oder explodiert, jeder Parameter wird benutzt.&lt;/p&gt;
</translation>
    </message>
    <message>
        <source>&lt;table&gt;&lt;tr&gt;&lt;th&gt;Parameter&lt;/th&gt;&lt;th&gt;Shape&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;mean |g|&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;max |g|&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;norm&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;norm / weights&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;zeros&lt;/th&gt;&lt;/tr&gt;
</source>
        <translation>&lt;table&gt;&lt;tr&gt;&lt;th&gt;Parameter&lt;/th&gt;&lt;th&gt;Form&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Mittel |g|&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;max |g|&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Norm&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Norm / Gewichte&lt;/th&gt;&lt;th class=&apos;n&apos;&gt;Nullen&lt;/th&gt;&lt;/tr&gt;
</translation>
    </message>
    <message>
        <source>against</source>
        <translation>gegen</translation>
    </message>
    <message>
        <source>&lt;h1&gt;%1&lt;/h1&gt;&lt;p class=&apos;faint&apos;&gt;%2&lt;/p&gt;
&lt;nav&gt;</source>
        <translation>&lt;h1&gt;%1&lt;/h1&gt;&lt;p class=&apos;faint&apos;&gt;%2&lt;/p&gt;
&lt;nav&gt;</translation>
    </message>
    <message>
        <source>&lt;div class=&apos;columns&apos;&gt;&lt;div&gt;&lt;h2&gt;Model&lt;/h2&gt;
%1&lt;/div&gt;</source>
        <translation>&lt;div class=&apos;columns&apos;&gt;&lt;div&gt;&lt;h2&gt;Modell&lt;/h2&gt;
%1&lt;/div&gt;</translation>
    </message>
    <message>
        <source>&lt;div&gt;&lt;h2&gt;Run&lt;/h2&gt;
%1&lt;/div&gt;</source>
        <translation>&lt;div&gt;&lt;h2&gt;Lauf&lt;/h2&gt;
%1&lt;/div&gt;</translation>
    </message>
    <message>
        <source>&lt;div&gt;&lt;h2&gt;Where the time went&lt;/h2&gt;
%1&lt;/div&gt;</source>
        <translation>&lt;div&gt;&lt;h2&gt;Wohin die Zeit ging&lt;/h2&gt;
%1&lt;/div&gt;</translation>
    </message>
    <message>
        <source>&lt;div&gt;&lt;h2&gt;Run&lt;/h2&gt;
&lt;p class=&apos;bad&apos;&gt;%1&lt;/p&gt;&lt;/div&gt;</source>
        <translation>&lt;div&gt;&lt;h2&gt;Lauf&lt;/h2&gt;
&lt;p class=&apos;bad&apos;&gt;%1&lt;/p&gt;&lt;/div&gt;</translation>
    </message>
    <message>
        <source>&lt;h2&gt;Nothing to show&lt;/h2&gt;
&lt;table&gt;
</source>
        <translation>&lt;h2&gt;Nichts zu zeigen&lt;/h2&gt;
&lt;table&gt;
</translation>
    </message>
    <message>
        <source>%1: no answer within %2 s</source>
        <translation>%1: keine Antwort innerhalb von %2 s</translation>
    </message>
    <message>
        <source>cannot open %1</source>
        <translation>%1 kann nicht geöffnet werden</translation>
    </message>
    <message>
        <source>the run took longer than %1 s and was stopped</source>
        <translation>der Lauf dauerte länger als %1 s und wurde abgebrochen</translation>
    </message>
    <message>
        <source>%1: took longer than %2 s and was stopped</source>
        <translation>%1: dauerte länger als %2 s und wurde abgebrochen</translation>
    </message>
    <message>
        <source>change %1 to %2</source>
        <translation>%1 in %2 ändern</translation>
    </message>
    <message>
        <source>a value</source>
        <translation>einen Wert</translation>
    </message>
    <message>
        <source>the value is of a run that is gone</source>
        <translation>der Wert gehört zu einem Lauf, den es nicht mehr gibt</translation>
    </message>
    <message>
        <source>it is not a value of the run that is shown</source>
        <translation>es ist kein Wert des angezeigten Laufs</translation>
    </message>
    <message>
        <source>Where does %1 come from?</source>
        <translation>Woher kommt %1?</translation>
    </message>
    <message>
        <source>it was there before the run: change inputs in Inputs, weights by loading</source>
        <translation>es war vor dem Lauf da: Eingaben ändert man in Eingaben, Gewichte durch Laden</translation>
    </message>
    <message>
        <source>a training is under way</source>
        <translation>ein Training ist im Gang</translation>
    </message>
    <message>
        <source>Change %1…</source>
        <translation>%1 ändern…</translation>
    </message>
    <message>
        <source>Change all of it…</source>
        <translation>Alles ändern…</translation>
    </message>
    <message>
        <source>Put there what %1 has</source>
        <translation>Einsetzen, was %1 hat</translation>
    </message>
    <message>
        <source>Silence</source>
        <translation>Stummschalten</translation>
    </message>
    <message>
        <source>Puts zeros there: a channel, a head, a position, or the whole output</source>
        <translation>Setzt dort Nullen: einen Kanal, einen Head, eine Position oder die ganze Ausgabe</translation>
    </message>
    <message>
        <source>All of it</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>Nothing recorded yet: run the model (F5)</source>
        <translation>Noch nichts aufgezeichnet: Führen Sie das Modell aus (F5)</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>warm: median of %1</source>
        <translation>warm: Median über %1</translation>
    </message>
    <message>
        <source>times of a first run</source>
        <translation>Zeiten eines ersten Laufs</translation>
    </message>
    <message>
        <source>; hatched: %1 of set-up</source>
        <translation>; schraffiert: %1 Einrichtung</translation>
    </message>
    <message>
        <source>%1 selected, %2, %3 busy</source>
        <translation>%1 ausgewählt, %2, %3 beschäftigt</translation>
    </message>
    <message>
        <source>waited %1 for data</source>
        <translation>wartete %1 auf Daten</translation>
    </message>
    <message>
        <source>%1 busy %2, idle %3</source>
        <translation>%1 beschäftigt %2, untätig %3</translation>
    </message>
    <message>
        <source>%1 zones, %2</source>
        <translation>%1 Zonen, %2</translation>
    </message>
    <message>
        <source>zoom in to tell them apart</source>
        <translation>hineinzoomen, um sie zu unterscheiden</translation>
    </message>
    <message>
        <source> in backward</source>
        <translation> rückwärts</translation>
    </message>
    <message>
        <source>%1 warm, half of the runs between %2 and %3</source>
        <translation>%1 warm, die Hälfte der Läufe zwischen %2 und %3</translation>
    </message>
    <message>
        <source>launched in %1</source>
        <translation>gestartet in %1</translation>
    </message>
    <message>
        <source>; %1 begins %2 later</source>
        <translation>; %1 beginnt %2 später</translation>
    </message>
    <message>
        <source>; %1 begins while it is launched</source>
        <translation>; %1 beginnt während des Startens</translation>
    </message>
    <message>
        <source>other threads: %1 in its loops</source>
        <translation>andere Threads: %1 in seinen Schleifen</translation>
    </message>
    <message>
        <source>set-up apart: %1</source>
        <translation>davon Einrichtung: %1</translation>
    </message>
    <message>
        <source>allocated: %1</source>
        <translation>belegt: %1</translation>
    </message>
    <message>
        <source>freed: %1</source>
        <translation>freigegeben: %1</translation>
    </message>
    <message>
        <source>, of %1</source>
        <translation>, von %1</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Loader %1</source>
        <translation>Lader %1</translation>
    </message>
    <message>
        <source>Loaders</source>
        <translation>Lader</translation>
    </message>
    <message>
        <source>waits for %1</source>
        <translation>wartet auf %1</translation>
    </message>
    <message>
        <source>batch %1</source>
        <translation>Batch %1</translation>
    </message>
    <message>
        <source>Loading: waits for batch %1</source>
        <translation>Laden: wartet auf Batch %1</translation>
    </message>
    <message>
        <source>%1 until loader %2 had it</source>
        <translation>%1, bis Lader %2 ihn hatte</translation>
    </message>
    <message>
        <source>Loading: batch %1</source>
        <translation>Laden: Batch %1</translation>
    </message>
    <message>
        <source>%1, made by the loop itself: there are no workers</source>
        <translation>%1, von der Schleife selbst erzeugt: es gibt keine Worker</translation>
    </message>
    <message>
        <source>Loader %1: batch %2</source>
        <translation>Lader %1: Batch %2</translation>
    </message>
    <message>
        <source>%1, made ahead on a thread of its own</source>
        <translation>%1, vorab auf einem eigenen Thread erzeugt</translation>
    </message>
    <message>
        <source>%1 on the engine&apos;s thread, when the loop asked for it: a source&apos;s own data set runs nowhere else, and its workers take turns</source>
        <translation>%1 auf dem Thread der Engine, als die Schleife danach fragte: Der eigene Datensatz eines Quelltexts läuft nirgendwo sonst, und seine Worker wechseln sich ab</translation>
    </message>
    <message>
        <source>not over when the run was</source>
        <translation>beim Ende des Laufs noch nicht fertig</translation>
    </message>
    <message>
        <source>begun %1 before the run</source>
        <translation>%1 vor dem Lauf begonnen</translation>
    </message>
    <message>
        <source>of pass %1 over data</source>
        <translation>von Durchgang %1 durch die Daten</translation>
    </message>
    <message>
        <source>imported from %1: not replayed</source>
        <translation>importiert aus %1: wird nicht wiederholt</translation>
    </message>
    <message>
        <source>%1 selected</source>
        <translation>%1 ausgewählt</translation>
    </message>
    <message>
        <source>%1: busy %2 (%3 %), idle %4</source>
        <translation>%1: beschäftigt %2 (%3 %), untätig %4</translation>
    </message>
    <message>
        <source>%1 kernels, copies and fills in %2</source>
        <translation>%1 Kernel, Kopien und Füllungen in %2</translation>
    </message>
    <message>
        <source>busy %1 (%2 %), idle %3</source>
        <translation>beschäftigt %1 (%2 %), untätig %3</translation>
    </message>
    <message>
        <source>longest gap %1, at %2</source>
        <translation>längste Lücke %1, bei %2</translation>
    </message>
    <message>
        <source>begins %1 behind its launch, by the median</source>
        <translation>beginnt im Median %1 nach seinem Start</translation>
    </message>
    <message>
        <source>%1 events, %2</source>
        <translation>%1 Ereignisse, %2</translation>
    </message>
    <message>
        <source>the weights trained before</source>
        <translation>den zuvor trainierten Gewichten</translation>
    </message>
    <message>
        <source>the weights as opened</source>
        <translation>den Gewichten wie geöffnet</translation>
    </message>
    <message>
        <source>in the source</source>
        <translation>im Quelltext</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>output %1</source>
        <translation>Ausgabe %1</translation>
    </message>
    <message>
        <source>%1, then %2</source>
        <translation>%1, dann %2</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Convolution</source>
        <translation>Faltung</translation>
    </message>
    <message>
        <source>Pooling</source>
        <translation>Pooling</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>Batch normalisation</source>
        <translation>Batch-Normalisierung</translation>
    </message>
    <message>
        <source>Normalisation</source>
        <translation>Normalisierung</translation>
    </message>
    <message>
        <source>Instance normalisation</source>
        <translation>Instanz-Normalisierung</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>Padding</translation>
    </message>
    <message>
        <source>Recurrent</source>
        <translation>Rekurrent</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>Embedding</translation>
    </message>
    <message>
        <source>Transformer</source>
        <translation>Transformer</translation>
    </message>
    <message>
        <source>Upsampling</source>
        <translation>Upsampling</translation>
    </message>
    <message>
        <source>Pixel shuffle</source>
        <translation>Pixel-Shuffle</translation>
    </message>
    <message>
        <source>Channel shuffle</source>
        <translation>Kanal-Shuffle</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>Fold</translation>
    </message>
    <message>
        <source>no elements</source>
        <translation>keine Elemente</translation>
    </message>
    <message>
        <source>no finite values</source>
        <translation>keine endlichen Werte</translation>
    </message>
    <message>
        <source>of the finite %1</source>
        <translation>von den endlichen %1</translation>
    </message>
    <message>
        <source>%1 idle for %2</source>
        <translation>%1 %2 lang untätig</translation>
    </message>
    <message>
        <source>waits for the host</source>
        <translation>wartet auf den Host</translation>
    </message>
    <message>
        <source>waits for the host, which is at %1</source>
        <translation>wartet auf den Host, der bei %1 ist</translation>
    </message>
    <message>
        <source>waits for the copy %1, %2</source>
        <translation>wartet auf die Kopie %1, %2</translation>
    </message>
    <message>
        <source>waits for %1, %2</source>
        <translation>wartet auf %1, %2</translation>
    </message>
    <message>
        <source>it had work: nothing that is recorded held it</source>
        <translation>es gab Arbeit: nichts Aufgezeichnetes hielt sie auf</translation>
    </message>
</context>
<context>
    <name>Setting</name>
    <message>
        <source>Appearance</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <source>Start and saving</source>
        <translation>Start und Speichern</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Other machines</source>
        <translation>Andere Rechner</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Design</translation>
    </message>
    <message>
        <source>Dark, light, or as the desktop is.</source>
        <translation>Dunkel, hell, oder wie der Desktop.</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>Hoher Kontrast</translation>
    </message>
    <message>
        <source>Black and white grounds, no faint text, lines that are seen.</source>
        <translation>Schwarze und weiße Hintergründe, kein blasser Text, sichtbare Linien.</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>Skalierung</translation>
    </message>
    <message>
        <source>Size of all texts and controls, beside what the desktop asks for.</source>
        <translation>Größe aller Texte und Bedienelemente, zusätzlich zu der des Desktops.</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Animations</source>
        <translation>Animationen</translation>
    </message>
    <message>
        <source>Panels slide to their place; off, all is where it belongs at once.</source>
        <translation>Panels gleiten an ihren Platz; ohne sie ist alles sofort dort, wo es hingehört.</translation>
    </message>
    <message>
        <source>Restore the last session at start</source>
        <translation>Letzte Sitzung beim Start wiederherstellen</translation>
    </message>
    <message>
        <source>Without a file to open the program begins where it was left.</source>
        <translation>Ohne eine zu öffnende Datei beginnt das Programm, wo es verlassen wurde.</translation>
    </message>
    <message>
        <source>Ask before a run is lost</source>
        <translation>Vor dem Verlust eines Laufs fragen</translation>
    </message>
    <message>
        <source>A run that is in no file is asked for like an edited source; it comes back with the session all the same.</source>
        <translation>Nach einem Lauf, der in keiner Datei ist, wird gefragt wie nach einem geänderten Quelltext; mit der Sitzung kommt er ohnehin wieder.</translation>
    </message>
    <message>
        <source>Save edited sources before a run</source>
        <translation>Geänderten Quelltext vor einem Lauf speichern</translation>
    </message>
    <message>
        <source>Without being asked; else the first run of an edited source asks.</source>
        <translation>Ohne zu fragen; sonst fragt der erste Lauf eines geänderten Quelltexts.</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>How many Run &gt; Run on N processes starts.</source>
        <translation>Wie viele Ausführen &gt; Auf N Prozessen ausführen startet.</translation>
    </message>
    <message>
        <source>Command that starts ranks</source>
        <translation>Befehl, der Ränge startet</translation>
    </message>
    <message>
        <source>{ranks} and {engine} are filled in; words are split as in a shell, but no shell sees them.</source>
        <translation>{ranks} und {engine} werden eingesetzt; Wörter werden wie in einer Shell getrennt, aber keine Shell sieht sie.</translation>
    </message>
    <message>
        <source>Command for ssh</source>
        <translation>Befehl für ssh</translation>
    </message>
    <message>
        <source>How ssh is called to reach an engine; empty: as usual. {options}, {port}, {host} and {engine} are filled in.</source>
        <translation>Wie ssh aufgerufen wird, um eine Engine zu erreichen; leer: wie üblich. {options}, {port}, {host} und {engine} werden eingesetzt.</translation>
    </message>
    <message>
        <source>Minimap</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>All of the graph in a corner while a part is in sight; click or drag in it to go there.</source>
        <translation>Der ganze Graph in einer Ecke, solange nur ein Teil zu sehen ist; ein Klick oder Ziehen darin geht dorthin.</translation>
    </message>
    <message>
        <source>Draw identical layers once</source>
        <translation>Gleiche Schichten einmal zeichnen</translation>
    </message>
    <message>
        <source>Groups that are built alike and feed one another become one box with a count.</source>
        <translation>Gleich gebaute Gruppen, die einander speisen, werden zu einem Kasten mit Anzahl.</translation>
    </message>
    <message>
        <source>From left to right</source>
        <translation>Von links nach rechts</translation>
    </message>
    <message>
        <source>Values flow to the right instead of down.</source>
        <translation>Werte fließen nach rechts statt nach unten.</translation>
    </message>
    <message>
        <source>Zoom opens groups</source>
        <translation>Zoom öffnet Gruppen</translation>
    </message>
    <message>
        <source>The wheel opens the group under the mouse when its box grows large, and closes it again when it is small.</source>
        <translation>Das Mausrad öffnet die Gruppe unter der Maus, wenn ihr Kasten groß wird, und schließt sie wieder, wenn er klein ist.</translation>
    </message>
    <message>
        <source>Of menus, panels and dialogs. Errors, names and numbers stay PyTorch&apos;s.</source>
        <translation>Der Menüs, Panels und Dialoge. Fehler, Namen und Zahlen bleiben die von PyTorch.</translation>
    </message>
</context>
<context>
    <name>counted</name>
    <message numerus="yes">
        <source>%1 block</source>
        <translation>
            <numerusform>%1 Block</numerusform>
            <numerusform>%1 Blöcke</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 bookmark</source>
        <translation>
            <numerusform>%1 Lesezeichen</numerusform>
            <numerusform>%1 Lesezeichen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 box</source>
        <translation>
            <numerusform>%1 Kasten</numerusform>
            <numerusform>%1 Kästen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 breakpoint</source>
        <translation>
            <numerusform>%1 Haltepunkt</numerusform>
            <numerusform>%1 Haltepunkte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 call</source>
        <translation>
            <numerusform>%1 Aufruf</numerusform>
            <numerusform>%1 Aufrufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 collective</source>
        <translation>
            <numerusform>%1 Kollektivoperation</numerusform>
            <numerusform>%1 Kollektivoperationen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 element</source>
        <translation>
            <numerusform>%1 Element</numerusform>
            <numerusform>%1 Elemente</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 entry</source>
        <translation>
            <numerusform>%1 Eintrag</numerusform>
            <numerusform>%1 Einträge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 epoch</source>
        <translation>
            <numerusform>%1 Epoche</numerusform>
            <numerusform>%1 Epochen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 event</source>
        <translation>
            <numerusform>%1 Ereignis</numerusform>
            <numerusform>%1 Ereignisse</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 frame</source>
        <translation>
            <numerusform>%1 Frame</numerusform>
            <numerusform>%1 Frames</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 head</source>
        <translation>
            <numerusform>%1 Head</numerusform>
            <numerusform>%1 Heads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 layer</source>
        <translation>
            <numerusform>%1 Schicht</numerusform>
            <numerusform>%1 Schichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 line</source>
        <translation>
            <numerusform>%1 Zeile</numerusform>
            <numerusform>%1 Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 match</source>
        <translation>
            <numerusform>%1 Treffer</numerusform>
            <numerusform>%1 Treffer</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 module</source>
        <translation>
            <numerusform>%1 Modul</numerusform>
            <numerusform>%1 Module</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 more epoch</source>
        <translation>
            <numerusform>noch %1 Epoche</numerusform>
            <numerusform>noch %1 Epochen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 more step</source>
        <translation>
            <numerusform>noch %1 Schritt</numerusform>
            <numerusform>noch %1 Schritte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 note</source>
        <translation>
            <numerusform>%1 Notiz</numerusform>
            <numerusform>%1 Notizen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 operator</source>
        <translation>
            <numerusform>%1 Operator</numerusform>
            <numerusform>%1 Operatoren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 parameter</source>
        <translation>
            <numerusform>%1 Parameter</numerusform>
            <numerusform>%1 Parameter</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 pass</source>
        <translation>
            <numerusform>%1 Pass</numerusform>
            <numerusform>%1 Passes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 rank</source>
        <translation>
            <numerusform>%1 Rang</numerusform>
            <numerusform>%1 Ränge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 region</source>
        <translation>
            <numerusform>%1 Bereich</numerusform>
            <numerusform>%1 Bereiche</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 run</source>
        <translation>
            <numerusform>%1 Lauf</numerusform>
            <numerusform>%1 Läufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 segment</source>
        <translation>
            <numerusform>%1 Segment</numerusform>
            <numerusform>%1 Segmente</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 smaller one</source>
        <translation>
            <numerusform>%1 kleinerer</numerusform>
            <numerusform>%1 kleinere</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 step</source>
        <translation>
            <numerusform>%1 Schritt</numerusform>
            <numerusform>%1 Schritte</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 tensor</source>
        <translation>
            <numerusform>%1 Tensor</numerusform>
            <numerusform>%1 Tensoren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 time</source>
        <translation>
            <numerusform>%1-mal</numerusform>
            <numerusform>%1-mal</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 token</source>
        <translation>
            <numerusform>%1 Token</numerusform>
            <numerusform>%1 Tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 warm run</source>
        <translation>
            <numerusform>%1 warmer Lauf</numerusform>
            <numerusform>%1 warme Läufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 more run</source>
        <translation>
            <numerusform>noch %1 Lauf</numerusform>
            <numerusform>noch %1 Läufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 group</source>
        <translation>
            <numerusform>%1 Gruppe</numerusform>
            <numerusform>%1 Gruppen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 op</source>
        <translation>
            <numerusform>%1 Op</numerusform>
            <numerusform>%1 Ops</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>saved for backward</source>
        <translation>für rückwärts behalten</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Arbeitsspeicher des Kernels</translation>
    </message>
    <message>
        <source>input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>other</source>
        <translation>sonstiges</translation>
    </message>
    <message>
        <source>kernel cache</source>
        <translation>Kernel-Cache</translation>
    </message>
    <message>
        <source>made here</source>
        <translation>hier entstanden</translation>
    </message>
    <message>
        <source>turned here</source>
        <translation>hier umgeschlagen</translation>
    </message>
    <message>
        <source>passed on</source>
        <translation>weitergereicht</translation>
    </message>
    <message>
        <source>meant</source>
        <translation>gewollt</translation>
    </message>
    <message>
        <source>made</source>
        <translation>entstanden</translation>
    </message>
    <message>
        <source>turned</source>
        <translation>umgeschlagen</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>weitergereicht</translation>
    </message>
    <message>
        <source>Attention patterns</source>
        <translation>Attention-Muster</translation>
    </message>
    <message>
        <source>Which tokens attend to which, by layer and head: the weights of the run that is shown.</source>
        <translation>Welche Tokens auf welche achten, je Schicht und Head: die Gewichte des angezeigten Laufs.</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>The gradient&apos;s magnitude; the gradient times the element, with its sign; or the mean gradient of copies with noise</source>
        <translation>Der Betrag des Gradienten; der Gradient mal das Element, mit Vorzeichen; oder der mittlere Gradient verrauschter Kopien</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>Kanäle</translation>
    </message>
    <message>
        <source>How the channels of a pixel, or the elements of a token, become one number</source>
        <translation>Wie aus den Kanälen eines Pixels oder den Elementen eines Tokens eine Zahl wird</translation>
    </message>
    <message>
        <source>Noisy copies</source>
        <translation>Verrauschte Kopien</translation>
    </message>
    <message>
        <source>Of SmoothGrad</source>
        <translation>Für SmoothGrad</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Of SmoothGrad: its standard deviation, as a part of the input&apos;s range</source>
        <translation>Für SmoothGrad: die Standardabweichung, als Anteil am Wertebereich der Eingabe</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Of the noise, as torch.manual_seed</source>
        <translation>Des Rauschens, wie torch.manual_seed</translation>
    </message>
    <message>
        <source>Saliency</source>
        <translation>Saliency</translation>
    </message>
    <message>
        <source>How fast a number of the output changes with each pixel or token.</source>
        <translation>Wie schnell sich eine Zahl der Ausgabe mit jedem Pixel oder Token ändert.</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>Baseline</translation>
    </message>
    <message>
        <source>What there is instead of the text: no embedding, the mean one, or a token</source>
        <translation>Was an die Stelle des Textes tritt: kein Embedding, das mittlere oder ein Token</translation>
    </message>
    <message>
        <source>What there is instead of the input: zeros, the mean of each channel, or the input blurred</source>
        <translation>Was an die Stelle der Eingabe tritt: Nullen, das Mittel jedes Kanals oder die weichgezeichnete Eingabe</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Of the baseline: its id, as of the padding</source>
        <translation>Der Baseline: seine ID, etwa die des Paddings</translation>
    </message>
    <message>
        <source>Blur</source>
        <translation>Unschärfe</translation>
    </message>
    <message>
        <source>Of the baseline: the standard deviation in pixels</source>
        <translation>Der Baseline: die Standardabweichung in Pixeln</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Points on the way at which the gradient is taken</source>
        <translation>Punkte auf dem Weg, an denen der Gradient genommen wird</translation>
    </message>
    <message>
        <source>Quadrature</source>
        <translation>Quadratur</translation>
    </message>
    <message>
        <source>Where these points lie and how much each counts</source>
        <translation>Wo diese Punkte liegen und wie stark jeder zählt</translation>
    </message>
    <message>
        <source>Integrated gradients</source>
        <translation>Integrierte Gradienten</translation>
    </message>
    <message>
        <source>What each pixel or token adds to a number of the output, against a baseline; the parts add up to the difference.</source>
        <translation>Was jedes Pixel oder Token gegenüber einer Baseline zu einer Zahl der Ausgabe beiträgt; die Teile summieren sich zur Differenz.</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Whose output is weighed: a module that gives N x C x H x W, or a convolution of the graph by what it gives, as %conv2d_3. Empty: the last one of convolutions before pooling</source>
        <translation>Wessen Ausgabe gewichtet wird: ein Modul, das N x C x H x W liefert, oder eine Faltung des Graphen nach dem, was sie liefert, etwa %conv2d_3. Leer: die letzte der Faltungen vor dem Pooling</translation>
    </message>
    <message>
        <source>Grad-CAM, or Grad-CAM++, which finds several objects better</source>
        <translation>Grad-CAM, oder Grad-CAM++, das mehrere Objekte besser findet</translation>
    </message>
    <message>
        <source>Grad-CAM++</source>
        <translation>Grad-CAM++</translation>
    </message>
    <message>
        <source>Grad-CAM</source>
        <translation>Grad-CAM</translation>
    </message>
    <message>
        <source>Where in the picture a convolutional stage sees what speaks for a class.</source>
        <translation>Wo im Bild eine Faltungsstufe sieht, was für eine Klasse spricht.</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>Whose output is shown: it gives N x C x H x W</source>
        <translation>Wessen Ausgabe gezeigt wird: Sie hat die Form N x C x H x W</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>The most active channels first, by the mean of magnitudes; or as they stand</source>
        <translation>Die aktivsten Kanäle zuerst, nach dem Mittel der Beträge; oder wie sie stehen</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Each channel from its own least to its own greatest element, or all on one scale</source>
        <translation>Jeder Kanal von seinem kleinsten bis zu seinem größten Element, oder alle auf einer Skala</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>Höchstens</translation>
    </message>
    <message>
        <source>Channels that are shown</source>
        <translation>Gezeigte Kanäle</translation>
    </message>
    <message>
        <source>Feature maps</source>
        <translation>Feature-Maps</translation>
    </message>
    <message>
        <source>The channels of a module&apos;s output as small pictures, the most active first.</source>
        <translation>Die Kanäle der Ausgabe eines Moduls als kleine Bilder, die aktivsten zuerst.</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>Likely words of each cell, in its tip</source>
        <translation>Wahrscheinliche Wörter jeder Zelle, in ihrem Tooltip</translation>
    </message>
    <message>
        <source>Likeliest word by layer and place</source>
        <translation>Wahrscheinlichstes Wort je Schicht und Stelle</translation>
    </message>
    <message>
        <source>Logit lens</source>
        <translation>Logit-Lens</translation>
    </message>
    <message>
        <source>What words each layer&apos;s output would give, through the model&apos;s own final norm and head.</source>
        <translation>Welche Wörter die Ausgabe jeder Schicht ergäbe, durch die letzte Norm und den Kopf des Modells.</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>A weight, whose rows are the points; or a module: the samples, tokens or places of its output</source>
        <translation>Ein Gewicht, dessen Zeilen die Punkte sind; oder ein Modul: die Beispiele, Tokens oder Stellen seiner Ausgabe</translation>
    </message>
    <message>
        <source>By the length of the row, its place, or the group that it lies with</source>
        <translation>Nach der Länge der Zeile, ihrer Stelle oder der Gruppe, bei der sie liegt</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>Of the colours by group: k-means of the whole rows</source>
        <translation>Für Farben nach Gruppe: k-Means der ganzen Zeilen</translation>
    </message>
    <message>
        <source>Rows that are taken, evenly over all</source>
        <translation>Berücksichtigte Zeilen, gleichmäßig über alle verteilt</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Embeddings in a plane</source>
        <translation>Embeddings in einer Ebene</translation>
    </message>
    <message>
        <source>Rows of a weight, or what a module gives for tokens, samples or places, in the plane in which they differ most.</source>
        <translation>Zeilen eines Gewichts, oder was ein Modul für Tokens, Beispiele oder Stellen liefert, in der Ebene, in der sie sich am stärksten unterscheiden.</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Whose elements are asked about</source>
        <translation>Nach deren Elementen gefragt wird</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>The number of the output: a token&apos;s id, of the scores behind the last place; or an element, [0, 11, 42]. Empty: the greatest</source>
        <translation>Die Zahl der Ausgabe: die ID eines Tokens, von den Scores nach der letzten Stelle; oder ein Element, [0, 11, 42]. Leer: die größte</translation>
    </message>
    <message>
        <source>The number of the output: a class, 207; or an element, [0, 207]. Empty: the greatest of the sample</source>
        <translation>Die Zahl der Ausgabe: eine Klasse, 207; oder ein Element, [0, 207]. Leer: die größte des Beispiels</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>Which of the batch</source>
        <translation>Welches des Batches</translation>
    </message>
    <message>
        <source>program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>begins with</source>
        <translation>beginnt mit</translation>
    </message>
    <message>
        <source>data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>held out</source>
        <translation>zurückgehalten</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>shuffle</source>
        <translation>mischen</translation>
    </message>
    <message>
        <source>drop last</source>
        <translation>letzten weglassen</translation>
    </message>
    <message>
        <source>workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>Schedule</translation>
    </message>
    <message>
        <source>clip</source>
        <translation>begrenzt</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>most steps</source>
        <translation>höchstens Schritte</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>resumed from</source>
        <translation>fortgesetzt aus</translation>
    </message>
    <message>
        <source>memory that nothing has written yet</source>
        <translation>Speicher, in den noch nichts geschrieben wurde</translation>
    </message>
    <message>
        <source>write all of it before it is read, or use torch.zeros</source>
        <translation>alles davon schreiben, bevor es gelesen wird, oder torch.zeros nehmen</translation>
    </message>
    <message>
        <source>write all of it before it is read, or use torch.zeros_like</source>
        <translation>alles davon schreiben, bevor es gelesen wird, oder torch.zeros_like nehmen</translation>
    </message>
    <message>
        <source>write all of it before it is read, or use new_zeros</source>
        <translation>alles davon schreiben, bevor es gelesen wird, oder new_zeros nehmen</translation>
    </message>
    <message>
        <source>the distance of equal points, where it has no derivative</source>
        <translation>der Abstand gleicher Punkte, wo er keine Ableitung hat</translation>
    </message>
    <message>
        <source>add an eps under the root of a distance of your own</source>
        <translation>ein eps unter der Wurzel eines eigenen Abstands addieren</translation>
    </message>
    <message>
        <source>the norm of a zero vector, where it has no derivative</source>
        <translation>die Norm eines Nullvektors, wo sie keine Ableitung hat</translation>
    </message>
    <message>
        <source>add an eps: (x.square().sum(dim) + 1e-12).sqrt()</source>
        <translation>ein eps addieren: (x.square().sum(dim) + 1e-12).sqrt()</translation>
    </message>
    <message>
        <source>a norm that leaves the range of its dtype</source>
        <translation>eine Norm, die den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>0 · Inf or Inf − Inf in a matrix product</source>
        <translation>0 · Inf oder Inf − Inf in einem Matrixprodukt</translation>
    </message>
    <message>
        <source>a matrix product that leaves the range of its dtype</source>
        <translation>ein Matrixprodukt, das den Bereich seines dtypes verlässt</translation>
    </message>
    <message>
        <source>attention over Inf, or over a row that is fully masked</source>
        <translation>Attention über Inf oder über eine ganz maskierte Zeile</translation>
    </message>
    <message>
        <source>attention over a fully masked row, or with scores that leave the range of the dtype</source>
        <translation>Attention über eine ganz maskierte Zeile, oder mit Scores, die den Bereich des dtypes verlassen</translation>
    </message>
    <message>
        <source>leave every row one position that is not masked; where none is masked, bring queries and keys down: normalise them</source>
        <translation>jeder Zeile eine nicht maskierte Stelle lassen; wo keine Zeile maskiert ist, Queries und Keys kleiner machen: normalisieren</translation>
    </message>
    <message>
        <source>attention that leaves the range of its dtype</source>
        <translation>Attention, die den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>a batch_norm whose sums leave the range, or of equal elements with eps 0</source>
        <translation>ein batch_norm, dessen Summen den Bereich verlassen, oder über gleiche Elemente mit eps 0</translation>
    </message>
    <message>
        <source>give it an eps above 0, in float32</source>
        <translation>ein eps über 0 angeben, in float32</translation>
    </message>
    <message>
        <source>a convolution that leaves the range of its dtype</source>
        <translation>eine Faltung, die den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>attention over Inf</source>
        <translation>Attention über Inf</translation>
    </message>
    <message>
        <source>kl_div of an input that is -Inf</source>
        <translation>kl_div einer Eingabe, die -Inf ist</translation>
    </message>
    <message>
        <source>give it log_softmax of finite logits</source>
        <translation>log_softmax endlicher Logits hineingeben</translation>
    </message>
    <message>
        <source>binary_cross_entropy of a number outside [0, 1]</source>
        <translation>binary_cross_entropy einer Zahl außerhalb [0, 1]</translation>
    </message>
    <message>
        <source>give logits to binary_cross_entropy_with_logits</source>
        <translation>Logits in binary_cross_entropy_with_logits geben</translation>
    </message>
    <message>
        <source>a group_norm whose sums leave the range, or of equal elements with eps 0</source>
        <translation>ein group_norm, dessen Summen den Bereich verlassen, oder über gleiche Elemente mit eps 0</translation>
    </message>
    <message>
        <source>a layer_norm whose sums leave the range, or of equal elements with eps 0</source>
        <translation>ein layer_norm, dessen Summen den Bereich verlassen, oder über gleiche Elemente mit eps 0</translation>
    </message>
    <message>
        <source>cross_entropy of logits that are infinite</source>
        <translation>cross_entropy unendlicher Logits</translation>
    </message>
    <message>
        <source>mask logits with a large finite number, and keep the target&apos;s class unmasked</source>
        <translation>Logits mit einer großen endlichen Zahl maskieren und die Klasse des Ziels unmaskiert lassen</translation>
    </message>
    <message>
        <source>the mean over no targets (each is ignore_index or has weight 0)</source>
        <translation>das Mittel über keine Ziele (jedes ist ignore_index oder hat Gewicht 0)</translation>
    </message>
    <message>
        <source>skip batches without a target, or use reduction=&apos;sum&apos; and divide by the count</source>
        <translation>Batches ohne Ziel auslassen, oder reduction=&apos;sum&apos; nehmen und durch die Anzahl teilen</translation>
    </message>
    <message>
        <source>a loss of numbers that leave the range of the dtype</source>
        <translation>ein Loss von Zahlen, die den Bereich des dtypes verlassen</translation>
    </message>
    <message>
        <source>bring the logits down: normalise what they are computed from, or lower the learning rate</source>
        <translation>die Logits kleiner machen: normalisieren, woraus sie berechnet werden, oder die Lernrate senken</translation>
    </message>
    <message>
        <source>softmax of a row that is all -Inf (fully masked), or holds +Inf</source>
        <translation>softmax einer Zeile, die ganz -Inf ist (ganz maskiert) oder +Inf enthält</translation>
    </message>
    <message>
        <source>log_softmax of a row that is all -Inf (fully masked), or holds +Inf</source>
        <translation>log_softmax einer Zeile, die ganz -Inf ist (ganz maskiert) oder +Inf enthält</translation>
    </message>
    <message>
        <source>0 · Inf</source>
        <translation>0 · Inf</translation>
    </message>
    <message>
        <source>a product that leaves the range of its dtype</source>
        <translation>ein Produkt, das den Bereich seines dtypes verlässt</translation>
    </message>
    <message>
        <source>Inf − Inf</source>
        <translation>Inf − Inf</translation>
    </message>
    <message>
        <source>a sum that leaves the range of its dtype</source>
        <translation>eine Summe, die den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>a difference that leaves the range of its dtype</source>
        <translation>eine Differenz, die den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>xlogy at y = 0</source>
        <translation>xlogy bei y = 0</translation>
    </message>
    <message>
        <source>clamp y before: y.clamp(min=1e-8)</source>
        <translation>y vorher begrenzen: y.clamp(min=1e-8)</translation>
    </message>
    <message>
        <source>atan2 at (0, 0)</source>
        <translation>atan2 bei (0, 0)</translation>
    </message>
    <message>
        <source>add an eps to one of its arguments</source>
        <translation>zu einem seiner Argumente ein eps addieren</translation>
    </message>
    <message>
        <source>a number that its new dtype does not hold</source>
        <translation>eine Zahl, die ihr neuer dtype nicht fasst</translation>
    </message>
    <message>
        <source>cast to bfloat16 or float32, or scale it down before</source>
        <translation>in bfloat16 oder float32 umwandeln, oder vorher kleiner skalieren</translation>
    </message>
    <message>
        <source>division by 0</source>
        <translation>Division durch 0</translation>
    </message>
    <message>
        <source>Inf / Inf</source>
        <translation>Inf / Inf</translation>
    </message>
    <message>
        <source>a quotient that leaves the range of its dtype</source>
        <translation>ein Quotient, der den Bereich seines dtypes verlässt</translation>
    </message>
    <message>
        <source>the remainder of a division by 0</source>
        <translation>der Rest einer Division durch 0</translation>
    </message>
    <message>
        <source>a power at 0</source>
        <translation>eine Potenz bei 0</translation>
    </message>
    <message>
        <source>add an eps to the base, or clamp it away from 0</source>
        <translation>zur Basis ein eps addieren, oder sie mit clamp von 0 fernhalten</translation>
    </message>
    <message>
        <source>a fractional power of a negative number</source>
        <translation>eine gebrochene Potenz einer negativen Zahl</translation>
    </message>
    <message>
        <source>clamp the base at 0, or take x.abs() and its sign apart</source>
        <translation>die Basis bei 0 begrenzen, oder x.abs() und das Vorzeichen getrennt nehmen</translation>
    </message>
    <message>
        <source>a power that leaves the range of its dtype</source>
        <translation>eine Potenz, die den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>a power of a negative number, whose logarithm the gradient takes</source>
        <translation>eine Potenz einer negativen Zahl, deren Logarithmus der Gradient nimmt</translation>
    </message>
    <message>
        <source>clamp the base, or give the exponent as a number</source>
        <translation>die Basis begrenzen, oder den Exponenten als Zahl angeben</translation>
    </message>
    <message>
        <source>give a base that is not negative, or whole exponents</source>
        <translation>eine nicht negative Basis angeben, oder ganze Exponenten</translation>
    </message>
    <message>
        <source>give a base that is not negative</source>
        <translation>eine nicht negative Basis angeben</translation>
    </message>
    <message>
        <source>0 · Inf in the branch that where does not take</source>
        <translation>0 · Inf in dem Zweig, den where nicht nimmt</translation>
    </message>
    <message>
        <source>make the input of that branch harmless before the function, not its result behind it</source>
        <translation>die Eingabe dieses Zweigs vor der Funktion unschädlich machen, nicht ihr Ergebnis danach</translation>
    </message>
    <message>
        <source>sqrt of a negative number</source>
        <translation>sqrt einer negativen Zahl</translation>
    </message>
    <message>
        <source>clamp it before: x.clamp(min=0).sqrt()</source>
        <translation>vorher begrenzen: x.clamp(min=0).sqrt()</translation>
    </message>
    <message>
        <source>sqrt at 0</source>
        <translation>sqrt bei 0</translation>
    </message>
    <message>
        <source>rsqrt of a negative number</source>
        <translation>rsqrt einer negativen Zahl</translation>
    </message>
    <message>
        <source>clamp it before: x.clamp(min=1e-12).rsqrt()</source>
        <translation>vorher begrenzen: x.clamp(min=1e-12).rsqrt()</translation>
    </message>
    <message>
        <source>rsqrt at 0</source>
        <translation>rsqrt bei 0</translation>
    </message>
    <message>
        <source>add an eps under the root: torch.rsqrt(x + 1e-12)</source>
        <translation>ein eps unter der Wurzel addieren: torch.rsqrt(x + 1e-12)</translation>
    </message>
    <message>
        <source>1 / 0</source>
        <translation>1 / 0</translation>
    </message>
    <message>
        <source>a square that leaves the range of its dtype</source>
        <translation>ein Quadrat, das den Bereich seines dtypes verlässt</translation>
    </message>
    <message>
        <source>log of a negative number</source>
        <translation>log einer negativen Zahl</translation>
    </message>
    <message>
        <source>log at 0</source>
        <translation>log bei 0</translation>
    </message>
    <message>
        <source>log2 of a negative number</source>
        <translation>log2 einer negativen Zahl</translation>
    </message>
    <message>
        <source>log2 at 0</source>
        <translation>log2 bei 0</translation>
    </message>
    <message>
        <source>log10 of a negative number</source>
        <translation>log10 einer negativen Zahl</translation>
    </message>
    <message>
        <source>log10 at 0</source>
        <translation>log10 bei 0</translation>
    </message>
    <message>
        <source>log1p at -1 or below</source>
        <translation>log1p bei -1 oder darunter</translation>
    </message>
    <message>
        <source>clamp it above -1 before</source>
        <translation>vorher über -1 begrenzen</translation>
    </message>
    <message>
        <source>logit at 1</source>
        <translation>logit bei 1</translation>
    </message>
    <message>
        <source>give logit its eps: torch.logit(x, eps=1e-6)</source>
        <translation>logit sein eps geben: torch.logit(x, eps=1e-6)</translation>
    </message>
    <message>
        <source>logit at 0</source>
        <translation>logit bei 0</translation>
    </message>
    <message>
        <source>logit of a number outside (0, 1)</source>
        <translation>logit einer Zahl außerhalb (0, 1)</translation>
    </message>
    <message>
        <source>exp of a number whose exponential leaves the range of its dtype</source>
        <translation>exp einer Zahl, deren Exponentialwert den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>exp2 of a number whose power leaves the range of its dtype</source>
        <translation>exp2 einer Zahl, deren Potenz den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>expm1 of a number whose exponential leaves the range of its dtype</source>
        <translation>expm1 einer Zahl, deren Exponentialwert den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>sinh of a great number</source>
        <translation>sinh einer großen Zahl</translation>
    </message>
    <message>
        <source>clamp what goes in</source>
        <translation>begrenzen, was hineingeht</translation>
    </message>
    <message>
        <source>cosh of a great number</source>
        <translation>cosh einer großen Zahl</translation>
    </message>
    <message>
        <source>asin of a number outside [-1, 1]</source>
        <translation>asin einer Zahl außerhalb [-1, 1]</translation>
    </message>
    <message>
        <source>asin at 1 or -1, where its derivative is infinite</source>
        <translation>asin bei 1 oder -1, wo seine Ableitung unendlich ist</translation>
    </message>
    <message>
        <source>acos of a number outside [-1, 1]</source>
        <translation>acos einer Zahl außerhalb [-1, 1]</translation>
    </message>
    <message>
        <source>acos at 1 or -1, where its derivative is infinite</source>
        <translation>acos bei 1 oder -1, wo seine Ableitung unendlich ist</translation>
    </message>
    <message>
        <source>atanh at or beyond 1</source>
        <translation>atanh bei 1 oder darüber hinaus</translation>
    </message>
    <message>
        <source>erfinv at or beyond 1</source>
        <translation>erfinv bei 1 oder darüber hinaus</translation>
    </message>
    <message>
        <source>acosh below 1</source>
        <translation>acosh unter 1</translation>
    </message>
    <message>
        <source>clamp it before: x.clamp(min=1 + 1e-7)</source>
        <translation>vorher begrenzen: x.clamp(min=1 + 1e-7)</translation>
    </message>
    <message>
        <source>acosh at 1, where its derivative is infinite</source>
        <translation>acosh bei 1, wo seine Ableitung unendlich ist</translation>
    </message>
    <message>
        <source>lgamma at 0 or a negative whole number</source>
        <translation>lgamma bei 0 oder einer negativen ganzen Zahl</translation>
    </message>
    <message>
        <source>clamp it above 0 before</source>
        <translation>vorher über 0 begrenzen</translation>
    </message>
    <message>
        <source>lgamma at 0</source>
        <translation>lgamma bei 0</translation>
    </message>
    <message>
        <source>digamma at 0</source>
        <translation>digamma bei 0</translation>
    </message>
    <message>
        <source>the variance of one element</source>
        <translation>die Varianz eines einzigen Elements</translation>
    </message>
    <message>
        <source>a variance that leaves the range of its dtype</source>
        <translation>eine Varianz, die den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>the standard deviation of one element</source>
        <translation>die Standardabweichung eines einzigen Elements</translation>
    </message>
    <message>
        <source>std of equal elements: a root at 0</source>
        <translation>std gleicher Elemente: eine Wurzel bei 0</translation>
    </message>
    <message>
        <source>add an eps to the variance before its root</source>
        <translation>zur Varianz vor der Wurzel ein eps addieren</translation>
    </message>
    <message>
        <source>logsumexp over Inf</source>
        <translation>logsumexp über Inf</translation>
    </message>
    <message>
        <source>logcumsumexp over Inf</source>
        <translation>logcumsumexp über Inf</translation>
    </message>
    <message>
        <source>Inf − Inf in a running sum</source>
        <translation>Inf − Inf in einer laufenden Summe</translation>
    </message>
    <message>
        <source>a running sum that leaves the range of its dtype</source>
        <translation>eine laufende Summe, die den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>a running product that leaves the range of its dtype</source>
        <translation>ein laufendes Produkt, das den Bereich seines dtypes verlässt</translation>
    </message>
    <message>
        <source>sum logarithms instead</source>
        <translation>stattdessen Logarithmen summieren</translation>
    </message>
    <message>
        <source>the mean of no elements</source>
        <translation>das Mittel über keine Elemente</translation>
    </message>
    <message>
        <source>Inf − Inf in a mean</source>
        <translation>Inf − Inf in einem Mittel</translation>
    </message>
    <message>
        <source>a mean whose sum leaves the range of its dtype</source>
        <translation>ein Mittel, dessen Summe den Bereich ihres dtypes verlässt</translation>
    </message>
    <message>
        <source>Inf − Inf in a sum</source>
        <translation>Inf − Inf in einer Summe</translation>
    </message>
    <message>
        <source>0 · Inf in a product</source>
        <translation>0 · Inf in einem Produkt</translation>
    </message>
    <message>
        <source>clamp it before (x.clamp(min=1e-8)), or compute with log_softmax or logsumexp</source>
        <translation>vorher begrenzen (x.clamp(min=1e-8)), oder mit log_softmax oder logsumexp rechnen</translation>
    </message>
    <message>
        <source>add an eps to the divisor, or replace its zeros with torch.where before dividing</source>
        <translation>zum Divisor ein eps addieren, oder seine Nullen vor dem Teilen mit torch.where ersetzen</translation>
    </message>
    <message>
        <source>add an eps under the root: torch.sqrt(x + 1e-12)</source>
        <translation>ein eps unter der Wurzel addieren: torch.sqrt(x + 1e-12)</translation>
    </message>
    <message>
        <source>bring the numbers down before it: normalise or clip them, or lower the learning rate</source>
        <translation>die Zahlen vorher kleiner machen: normalisieren oder begrenzen, oder die Lernrate senken</translation>
    </message>
    <message>
        <source>subtract the maximum before (softmax and logsumexp do), or clamp what goes in</source>
        <translation>vorher das Maximum abziehen (softmax und logsumexp tun das), oder begrenzen, was hineingeht</translation>
    </message>
    <message>
        <source>leave every row one position that is not masked, or set such rows to 0 with nan_to_num or torch.where behind it</source>
        <translation>jeder Zeile eine nicht maskierte Stelle lassen, oder solche Zeilen danach mit nan_to_num oder torch.where auf 0 setzen</translation>
    </message>
    <message>
        <source>choose with torch.where or masked_fill instead of multiplying with 0, and keep Inf out of what is multiplied</source>
        <translation>mit torch.where oder masked_fill auswählen statt mit 0 zu multiplizieren, und kein Inf in die Faktoren lassen</translation>
    </message>
    <message>
        <source>keep the infinite terms apart: mask with a large finite number instead of Inf, or subtract before they become infinite</source>
        <translation>die unendlichen Terme getrennt halten: mit einer großen endlichen Zahl statt Inf maskieren, oder abziehen, bevor sie unendlich werden</translation>
    </message>
    <message>
        <source>take it over more than one element, or with correction=0 (unbiased=False)</source>
        <translation>über mehr als ein Element nehmen, oder mit correction=0 (unbiased=False)</translation>
    </message>
    <message>
        <source>give it at least one element, or skip empty batches</source>
        <translation>mindestens ein Element hineingeben, oder leere Batches auslassen</translation>
    </message>
    <message>
        <source>clamp it inside (-1, 1) before: x.clamp(-1 + 1e-7, 1 - 1e-7)</source>
        <translation>vorher auf (-1, 1) begrenzen: x.clamp(-1 + 1e-7, 1 - 1e-7)</translation>
    </message>
    <message>
        <source>a number added to every score changes nothing: the shares say which scores move the result, and what they leave is no score&apos;s</source>
        <translation>eine Zahl, die zu jedem Score addiert wird, ändert nichts: Die Anteile sagen, welche Scores das Ergebnis bewegen, und was sie übrig lassen, gehört keinem Score</translation>
    </message>
    <message>
        <source>sum of outputs</source>
        <translation>Summe der Ausgaben</translation>
    </message>
    <message>
        <source>mean of outputs</source>
        <translation>Mittel der Ausgaben</translation>
    </message>
    <message>
        <source>the source&apos;s loss</source>
        <translation>der eigene Loss des Quelltexts</translation>
    </message>
    <message>
        <source>the output, one number</source>
        <translation>die Ausgabe, eine einzige Zahl</translation>
    </message>
    <message>
        <source>in forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>in backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>in optimizer</source>
        <translation>im Optimierer</translation>
    </message>
    <message>
        <source>breakpoint %1 is gone with its line, which was line %2: %3</source>
        <translation>Haltepunkt %1 ist mit seiner Zeile verschwunden, sie war Zeile %2: %3</translation>
    </message>
    <message>
        <source>breakpoint %1 rests: %2 is not in the graph that runs</source>
        <translation>Haltepunkt %1 ruht: %2 ist nicht in dem Graphen, der läuft</translation>
    </message>
    <message>
        <source>breakpoint %1 stops nowhere: there is no module %2 any more</source>
        <translation>Haltepunkt %1 hält nirgends an: Es gibt kein Modul %2 mehr</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>kein Speicher mehr frei</translation>
    </message>
    <message>
        <source>token %1 of %2</source>
        <translation>Token %1 von %2</translation>
    </message>
    <message>
        <source>no graph: %1</source>
        <translation>kein Graph: %1</translation>
    </message>
    <message numerus="yes">
        <source>the model takes %1 inputs now, not %2: those that were chosen are left out</source>
        <comment>the model takes %1 input now, not %2: those that were chosen are left out</comment>
        <translation>
            <numerusform>das Modell nimmt jetzt %1 Eingabe, nicht %2: Die gewählten bleiben weg</numerusform>
            <numerusform>das Modell nimmt jetzt %1 Eingaben, nicht %2: Die gewählten bleiben weg</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 tensors are as before (%2)</source>
        <comment>%1 tensor is as before (%2)</comment>
        <translation>
            <numerusform>%1 Tensor ist wie zuvor (%2)</numerusform>
            <numerusform>%1 Tensoren sind wie zuvor (%2)</numerusform>
        </translation>
    </message>
    <message>
        <source>trained</source>
        <translation>trainiert</translation>
    </message>
    <message>
        <source>; what did not fit is as the source makes it: %1</source>
        <translation>; was nicht passte, ist so, wie der Quelltext es anlegt: %1</translation>
    </message>
    <message numerus="yes">
        <source>%1 tensors loaded from %2</source>
        <comment>%1 tensor loaded from %2</comment>
        <translation>
            <numerusform>%1 Tensor geladen aus %2</numerusform>
            <numerusform>%1 Tensoren geladen aus %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%2 does not fit: %1 differences; nothing was changed</source>
        <comment>%2 does not fit: %1 difference; nothing was changed</comment>
        <translation>
            <numerusform>%2 passt nicht: %1 Unterschied; nichts wurde geändert</numerusform>
            <numerusform>%2 passt nicht: %1 Unterschiede; nichts wurde geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %1 names were passed over</source>
        <comment>; %1 name was passed over</comment>
        <translation>
            <numerusform>; %1 Name wurde übergangen</numerusform>
            <numerusform>; %1 Namen wurden übergangen</numerusform>
        </translation>
    </message>
    <message>
        <source>scripting</source>
        <translation>wird geskriptet</translation>
    </message>
    <message>
        <source>tracing</source>
        <translation>wird getracet</translation>
    </message>
    <message>
        <source>evaluating the source</source>
        <translation>der Quelltext wird ausgewertet</translation>
    </message>
    <message>
        <source>opening %1</source>
        <translation>öffnet %1</translation>
    </message>
    <message>
        <source>of the checkpoint beside %1 not all fits: %2</source>
        <translation>vom Checkpoint neben %1 passt nicht alles: %2</translation>
    </message>
    <message>
        <source>the session kept no weights, and the source made them anew: they may be other ones</source>
        <translation>die Sitzung hat keine Gewichte aufbewahrt, und der Quelltext hat sie neu angelegt: Es können andere sein</translation>
    </message>
    <message>
        <source>the recorded run is of another model: %1</source>
        <translation>der aufgezeichnete Lauf ist von einem anderen Modell: %1</translation>
    </message>
    <message>
        <source>built as %1: guessed (%2); change it in Inputs &gt; Constructor</source>
        <translation>gebaut als %1: geraten (%2); zu ändern in Eingaben &gt; Konstruktor</translation>
    </message>
    <message>
        <source>the session&apos;s weights cannot be read (%1) and were made anew</source>
        <translation>die Gewichte der Sitzung sind nicht lesbar (%1) und wurden neu angelegt</translation>
    </message>
    <message numerus="yes">
        <source>a recorded run of %2: %1 events</source>
        <comment>a recorded run of %2: %1 event</comment>
        <translation>
            <numerusform>ein aufgezeichneter Lauf von %2: %1 Ereignis</numerusform>
            <numerusform>ein aufgezeichneter Lauf von %2: %1 Ereignisse</numerusform>
        </translation>
    </message>
    <message>
        <source>where %1 is</source>
        <translation>wo %1 ist</translation>
    </message>
    <message>
        <source>the next place that ranks share: %1 is %2, to which this one does not come before</source>
        <translation>die nächste Stelle, die die Ränge teilen: %1 ist bei %2, wohin dieser vorher nicht kommt</translation>
    </message>
    <message>
        <source>waits in %1</source>
        <translation>wartet in %1</translation>
    </message>
    <message>
        <source> in %1 at event %2</source>
        <translation> in %1 bei Ereignis %2</translation>
    </message>
    <message>
        <source> behind event %1</source>
        <translation> nach Ereignis %1</translation>
    </message>
    <message>
        <source> while a file was opened</source>
        <translation> während eine Datei geöffnet wurde</translation>
    </message>
    <message>
        <source>, in step %1 of the training</source>
        <translation>, in Schritt %1 des Trainings</translation>
    </message>
    <message>
        <source>the engine died: %1</source>
        <translation>die Engine ist abgestürzt: %1</translation>
    </message>
    <message>
        <source>the engine was killed%1: by hand, or by the system when memory ran out</source>
        <translation>die Engine wurde beendet%1: von Hand, oder vom System, als der Speicher ausging</translation>
    </message>
    <message>
        <source>the engine was stopped%1</source>
        <translation>die Engine wurde angehalten%1</translation>
    </message>
    <message>
        <source>the engine ended by itself, with status %1%2</source>
        <translation>die Engine hat sich von selbst beendet, mit Status %1%2</translation>
    </message>
    <message>
        <source>what the engine sent was damaged (%1), so it was ended%2</source>
        <translation>was die Engine sandte, war beschädigt (%1), darum wurde sie beendet%2</translation>
    </message>
    <message>
        <source>; its last collective: %1</source>
        <translation>; ihre letzte kollektive Operation: %1</translation>
    </message>
    <message>
        <source>this engine may not write into %1: end it, and start it with --may-write %1 behind its command (File &gt; Connect &gt; Command for ssh)</source>
        <translation>diese Engine darf nicht nach %1 schreiben: beenden Sie sie und starten Sie sie mit --may-write %1 hinter ihrem Befehl (Datei &gt; Verbinden &gt; Befehl für ssh)</translation>
    </message>
    <message>
        <source>no question is called &apos;%1&apos;</source>
        <translation>keine Frage heißt „%1“</translation>
    </message>
    <message numerus="yes">
        <source>%1 lines of the log came faster than they could be shown and are left out</source>
        <comment>%1 line of the log came faster than they could be shown and is left out</comment>
        <translation>
            <numerusform>%1 Zeile des Protokolls kam schneller, als sie gezeigt werden konnte, und fehlt</numerusform>
            <numerusform>%1 Zeilen des Protokolls kamen schneller, als sie gezeigt werden konnten, und fehlen</numerusform>
        </translation>
    </message>
    <message>
        <source>there is no connection to the engine on %1</source>
        <translation>es gibt keine Verbindung zur Engine auf %1</translation>
    </message>
    <message>
        <source>the engine&apos;s process has not answered for %1 seconds: it is stopped, or the machine is out of memory</source>
        <translation>der Prozess der Engine hat seit %1 Sekunden nicht geantwortet: Er ist angehalten, oder dem Rechner ist der Speicher ausgegangen</translation>
    </message>
    <message>
        <source>what it had, since another file was opened</source>
        <translation>was sie hatte, da eine andere Datei geöffnet wurde</translation>
    </message>
    <message>
        <source>a model</source>
        <translation>ein Modell</translation>
    </message>
    <message>
        <source>before this window came %1</source>
        <translation>bevor dieses Fenster kam: %1</translation>
    </message>
    <message>
        <source>; restored: %1</source>
        <translation>; wiederhergestellt: %1</translation>
    </message>
    <message>
        <source>; not restored: %1</source>
        <translation>; nicht wiederhergestellt: %1</translation>
    </message>
    <message>
        <source>%1, which does not open again</source>
        <translation>%1, das sich nicht wieder öffnen lässt</translation>
    </message>
    <message>
        <source>its run as far as event %1</source>
        <translation>ihr Lauf bis Ereignis %1</translation>
    </message>
    <message>
        <source>events behind %1</source>
        <translation>Ereignisse nach %1</translation>
    </message>
    <message>
        <source>its training as far as step %1</source>
        <translation>ihr Training bis Schritt %1</translation>
    </message>
    <message>
        <source>steps behind %1</source>
        <translation>Schritte nach %1</translation>
    </message>
    <message>
        <source>breakpoint %1: node %2</source>
        <translation>Haltepunkt %1: Knoten %2</translation>
    </message>
    <message>
        <source>breakpoint %1: operator %2</source>
        <translation>Haltepunkt %1: Operator %2</translation>
    </message>
    <message>
        <source>breakpoint %1: module %2</source>
        <translation>Haltepunkt %1: Modul %2</translation>
    </message>
    <message>
        <source>breakpoint %1: %2</source>
        <translation>Haltepunkt %1: %2</translation>
    </message>
    <message>
        <source>breakpoint %1: phase</source>
        <translation>Haltepunkt %1: Phase</translation>
    </message>
    <message>
        <source>breakpoint %1: NaN or Inf</source>
        <translation>Haltepunkt %1: NaN oder Inf</translation>
    </message>
    <message>
        <source>first of forward</source>
        <translation>erstes Ereignis vorwärts</translation>
    </message>
    <message>
        <source>first of backward</source>
        <translation>erstes Ereignis rückwärts</translation>
    </message>
    <message>
        <source>first of optimizer</source>
        <translation>erstes Ereignis des Optimierers</translation>
    </message>
    <message>
        <source>%1 turned here, of an Inf</source>
        <translation>%1 hier umgeschlagen, aus einem Inf</translation>
    </message>
    <message>
        <source>%1 made here</source>
        <translation>%1 hier entstanden</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>step out</source>
        <translation>herausgegangen</translation>
    </message>
    <message>
        <source>run to here</source>
        <translation>bis hierher ausgeführt</translation>
    </message>
    <message>
        <source>before event %1</source>
        <translation>vor Ereignis %1</translation>
    </message>
    <message>
        <source>, at %1</source>
        <translation>, bei %1</translation>
    </message>
    <message>
        <source>, at %1 of %2</source>
        <translation>, bei %1 von %2</translation>
    </message>
    <message>
        <source>it could not be evaluated once in this run: %1</source>
        <translation>sie ließ sich in diesem Lauf kein einziges Mal auswerten: %1</translation>
    </message>
    <message>
        <source>compiling, %1</source>
        <translation>kompiliert, %1</translation>
    </message>
    <message>
        <source>graph break: %1</source>
        <translation>Bruch im Graphen: %1</translation>
    </message>
    <message>
        <source>restored; F5 runs again</source>
        <translation>wiederhergestellt; F5 führt erneut aus</translation>
    </message>
    <message>
        <source>restored, of another model; F5 runs the one that is open</source>
        <translation>wiederhergestellt, von einem anderen Modell; F5 führt das geöffnete aus</translation>
    </message>
    <message>
        <source>breakpoint %1 (%2) does not stop: %3</source>
        <translation>Haltepunkt %1 (%2) hält nicht an: %3</translation>
    </message>
    <message numerus="yes">
        <source>the run of the session before was run again and came out the same, in %1 events</source>
        <comment>the run of the session before was run again and came out the same, in %1 event</comment>
        <translation>
            <numerusform>der Lauf der früheren Sitzung wurde erneut ausgeführt und kam gleich heraus, in %1 Ereignis</numerusform>
            <numerusform>der Lauf der früheren Sitzung wurde erneut ausgeführt und kam gleich heraus, in %1 Ereignissen</numerusform>
        </translation>
    </message>
    <message>
        <source>the run of the session before did not come out the same when it was run again: it first differs at #%1, %2</source>
        <translation>der Lauf der früheren Sitzung kam beim erneuten Ausführen nicht gleich heraus: Er weicht zuerst bei #%1 ab, %2</translation>
    </message>
    <message>
        <source>continued at #%1, %2</source>
        <translation>fortgesetzt bei #%1, %2</translation>
    </message>
    <message>
        <source>; but what is before it did not come out as in the run before: first at #%1, %2</source>
        <translation>; aber was davor liegt, kam nicht heraus wie im Lauf davor: zuerst bei #%1, %2</translation>
    </message>
    <message>
        <source>; but the run ended before it</source>
        <translation>; aber der Lauf endete vorher</translation>
    </message>
    <message numerus="yes">
        <source>; %1 events before it were run again in %2 and came out the same</source>
        <comment>; %1 event before it was run again in %2 and came out the same</comment>
        <translation>
            <numerusform>; %1 Ereignis davor lief in %2 erneut und kam gleich heraus</numerusform>
            <numerusform>; %1 Ereignisse davor liefen in %2 erneut und kamen gleich heraus</numerusform>
        </translation>
    </message>
    <message>
        <source>this run was begun without backward: it begins again, with backward</source>
        <translation>dieser Lauf wurde ohne rückwärts begonnen: Er beginnt erneut, mit rückwärts</translation>
    </message>
    <message>
        <source>this run is not kept for a later session: %1</source>
        <translation>dieser Lauf wird nicht für eine spätere Sitzung aufbewahrt: %1</translation>
    </message>
    <message>
        <source>this training is not kept for a later session: %1</source>
        <translation>dieses Training wird nicht für eine spätere Sitzung aufbewahrt: %1</translation>
    </message>
    <message>
        <source>the weights are not kept for a later session: %1</source>
        <translation>die Gewichte werden nicht für eine spätere Sitzung aufbewahrt: %1</translation>
    </message>
    <message>
        <source>a later session cannot run steps of this training again: %1</source>
        <translation>eine spätere Sitzung kann Schritte dieses Trainings nicht erneut ausführen: %1</translation>
    </message>
    <message>
        <source>training on %1</source>
        <translation>Training mit %1</translation>
    </message>
    <message>
        <source>reading data</source>
        <translation>liest Daten</translation>
    </message>
    <message>
        <source>%1 at step %2 (epoch %3)</source>
        <translation>%1 in Schritt %2 (Epoche %3)</translation>
    </message>
    <message>
        <source>training: epoch %1 of %2, step %3 of %4</source>
        <translation>Training: Epoche %1 von %2, Schritt %3 von %4</translation>
    </message>
    <message>
        <source>attaching to the training</source>
        <translation>verbindet sich mit dem Training</translation>
    </message>
    <message>
        <source>training in %1: step %2</source>
        <translation>Training in %1: Schritt %2</translation>
    </message>
    <message>
        <source>left %1 behind step %2</source>
        <translation>%1 nach Schritt %2 verlassen</translation>
    </message>
    <message>
        <source>%1 waits behind step %2</source>
        <translation>%1 wartet nach Schritt %2</translation>
    </message>
    <message>
        <source>%1 ended without a word behind step %2</source>
        <translation>%1 endete ohne ein Wort nach Schritt %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 lines could not be read</source>
        <comment>%1 line could not be read</comment>
        <translation>
            <numerusform>%1 Zeile war nicht lesbar</numerusform>
            <numerusform>%1 Zeilen waren nicht lesbar</numerusform>
        </translation>
    </message>
    <message>
        <source>step %1 did not come out as it was logged when it was run again: %2; something that it depends on has changed, or is not in the model and the random numbers of torch</source>
        <translation>Schritt %1 kam beim erneuten Ausführen nicht heraus wie protokolliert: %2; etwas, wovon er abhängt, hat sich geändert, oder liegt nicht im Modell und in den Zufallszahlen von torch</translation>
    </message>
    <message>
        <source>going back to step %1</source>
        <translation>geht zurück zu Schritt %1</translation>
    </message>
    <message>
        <source>running steps %1 to %2 again: %3</source>
        <translation>führt die Schritte %1 bis %2 erneut aus: %3</translation>
    </message>
    <message>
        <source>step %1 was run again and came out as it was logged: loss %2</source>
        <translation>Schritt %1 wurde erneut ausgeführt und kam heraus wie protokolliert: Loss %2</translation>
    </message>
    <message>
        <source>back at step %1, the end of the training</source>
        <translation>zurück bei Schritt %1, dem Ende des Trainings</translation>
    </message>
    <message>
        <source> in %1</source>
        <translation> in %1</translation>
    </message>
    <message numerus="yes">
        <source>resumed from %2: %1 steps done, epoch %3</source>
        <comment>resumed from %2: %1 step done, epoch %3</comment>
        <translation>
            <numerusform>fortgesetzt ab %2: %1 Schritt getan, Epoche %3</numerusform>
            <numerusform>fortgesetzt ab %2: %1 Schritte getan, Epoche %3</numerusform>
        </translation>
    </message>
    <message>
        <source>, loss %1</source>
        <translation>, Loss %1</translation>
    </message>
    <message numerus="yes">
        <source>; of %1 epochs, goes on to step %2</source>
        <comment>; of %1 epoch, goes on to step %2</comment>
        <translation>
            <numerusform>; von %1 Epoche, geht weiter bis Schritt %2</numerusform>
            <numerusform>; von %1 Epochen, geht weiter bis Schritt %2</numerusform>
        </translation>
    </message>
    <message>
        <source>the training finished at step %1: %2</source>
        <translation>das Training endete bei Schritt %1: %2</translation>
    </message>
    <message>
        <source>the training was stopped at step %1: %2</source>
        <translation>das Training wurde bei Schritt %1 angehalten: %2</translation>
    </message>
    <message>
        <source>; accuracy %1</source>
        <translation>; Genauigkeit %1</translation>
    </message>
    <message>
        <source>; held out: loss %1</source>
        <translation>; zurückgehalten: Loss %1</translation>
    </message>
    <message>
        <source>, accuracy %1</source>
        <translation>, Genauigkeit %1</translation>
    </message>
    <message>
        <source>; %1 before the step</source>
        <translation>; %1 vor dem Schritt</translation>
    </message>
    <message>
        <source>; it began at %1</source>
        <translation>; es begann bei %1</translation>
    </message>
    <message>
        <source>; it did not come again when the step was repeated</source>
        <translation>; es kam nicht wieder, als der Schritt wiederholt wurde</translation>
    </message>
    <message>
        <source>%1; the model is as it was before the step</source>
        <translation>%1; das Modell ist, wie es vor dem Schritt war</translation>
    </message>
    <message>
        <source>loss %1, not %2</source>
        <translation>Loss %1, nicht %2</translation>
    </message>
    <message>
        <source>gradient norm %1, not %2</source>
        <translation>Gradientennorm %1, nicht %2</translation>
    </message>
    <message>
        <source>learning rate %1, not %2</source>
        <translation>Lernrate %1, nicht %2</translation>
    </message>
    <message>
        <source>%1 (%2, pass %3 of %4) changed the result: %5</source>
        <translation>%1 (%2, Pass %3 von %4) änderte das Ergebnis: %5</translation>
    </message>
    <message numerus="yes">
        <source>no pass changed the result: %1 passes, %2 of them changed the graph</source>
        <comment>no pass changed the result: %1 pass, %2 of them changed the graph</comment>
        <translation>
            <numerusform>kein Pass änderte das Ergebnis: %1 Pass, %2 davon änderten den Graphen</numerusform>
            <numerusform>kein Pass änderte das Ergebnis: %1 Passes, %2 davon änderten den Graphen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 outputs and gradients</source>
        <translation>%1 Ausgaben und Gradienten</translation>
    </message>
    <message>
        <source>%1 outputs</source>
        <translation>%1 Ausgaben</translation>
    </message>
    <message>
        <source>%1, %2 are the same to the bit</source>
        <translation>%1, %2 sind bis aufs Bit gleich</translation>
    </message>
    <message>
        <source>%1, %2 are the same within the tolerance, worst %3</source>
        <translation>%1, %2 sind innerhalb der Toleranz gleich, am schlechtesten %3</translation>
    </message>
    <message>
        <source>%1 ends before its run did</source>
        <translation>%1 endet früher als sein Lauf</translation>
    </message>
    <message>
        <source>%1 has names that the model lacks: %2</source>
        <translation>%1 enthält Namen, die dem Modell fehlen: %2</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>NaN or Inf differs in %1 of %2 elements</source>
        <translation>NaN oder Inf weicht in %1 von %2 Elementen ab</translation>
    </message>
    <message>
        <source>max abs %1, relative %2, %3</source>
        <translation>absolut höchstens %1, relativ %2, %3</translation>
    </message>
    <message>
        <source>a constant of the program</source>
        <translation>eine Konstante des Programms</translation>
    </message>
    <message>
        <source>an input of the run</source>
        <translation>eine Eingabe des Laufs</translation>
    </message>
    <message>
        <source>a weight of the model</source>
        <translation>ein Gewicht des Modells</translation>
    </message>
    <message>
        <source>a buffer of the model</source>
        <translation>ein Puffer des Modells</translation>
    </message>
    <message>
        <source>there before it was read</source>
        <translation>war da, bevor es gelesen wurde</translation>
    </message>
    <message>
        <source>it was there before the run</source>
        <translation>es war vor dem Lauf da</translation>
    </message>
    <message>
        <source>nothing that was recorded wrote it</source>
        <translation>nichts Aufgezeichnetes hat es geschrieben</translation>
    </message>
    <message>
        <source>the same memory as another tensor wrote it</source>
        <translation>derselbe Speicher, wie ein anderer Tensor ihn schrieb</translation>
    </message>
    <message numerus="yes">
        <source>the sum of %1 gradients, one of each reader</source>
        <comment>the sum of %1 gradient, one of each reader</comment>
        <translation>
            <numerusform>die Summe von %1 Gradienten, je einem von jedem Leser</numerusform>
            <numerusform>die Summe von %1 Gradienten, je einem von jedem Leser</numerusform>
        </translation>
    </message>
    <message>
        <source>the elements of %1 were not kept</source>
        <translation>die Elemente von %1 wurden nicht behalten</translation>
    </message>
    <message>
        <source>changed by hand: %1</source>
        <translation>von Hand geändert: %1</translation>
    </message>
    <message>
        <source>%1 is no operator with a record</source>
        <translation>%1 ist kein Operator mit einem Eintrag</translation>
    </message>
    <message>
        <source>its derivative could not be computed: %1</source>
        <translation>seine Ableitung ließ sich nicht berechnen: %1</translation>
    </message>
    <message>
        <source>%1 is held at what it was: a factor on all of its input would change nothing, and shares by derivative add up to 0</source>
        <translation>%1 wird festgehalten, wie es war: Ein Faktor auf der ganzen Eingabe änderte nichts, und Anteile nach der Ableitung ergeben zusammen 0</translation>
    </message>
    <message>
        <source>computed again it is %1, not %2</source>
        <translation>erneut berechnet ist es %1, nicht %2</translation>
    </message>
    <message>
        <source>%1 of what it read</source>
        <translation>%1 dessen, was es las</translation>
    </message>
    <message>
        <source>made by %1</source>
        <translation>gemacht von %1</translation>
    </message>
    <message>
        <source>random operator %1 of the run, seed %2</source>
        <translation>Zufallsoperator %1 des Laufs, Seed %2</translation>
    </message>
    <message>
        <source>a random draw: %1</source>
        <translation>zufällig gezogen: %1</translation>
    </message>
    <message>
        <source>dropped: %1</source>
        <translation>verworfen: %1</translation>
    </message>
    <message>
        <source>of 0, kept or dropped: %1</source>
        <translation>von 0, behalten oder verworfen: %1</translation>
    </message>
    <message>
        <source>passed on as it is</source>
        <translation>unverändert weitergegeben</translation>
    </message>
    <message>
        <source>kept and scaled by %1: %2</source>
        <translation>behalten und mit %1 skaliert: %2</translation>
    </message>
    <message>
        <source>the optimiser wrote it</source>
        <translation>der Optimierer hat es geschrieben</translation>
    </message>
    <message>
        <source>the gradient of the leaf</source>
        <translation>der Gradient des Blatts</translation>
    </message>
    <message>
        <source>coefficients are of the forward, #%1 %2</source>
        <translation>Koeffizienten sind die von vorwärts, #%1 %2</translation>
    </message>
    <message>
        <source>%1 gives %2</source>
        <translation>%1 liefert %2</translation>
    </message>
    <message>
        <source>%1: nothing that it read changes this element</source>
        <translation>%1: nichts, was es las, ändert dieses Element</translation>
    </message>
    <message numerus="yes">
        <source>%2 of %1 elements</source>
        <comment>%2 of %1 element</comment>
        <translation>
            <numerusform>%2 von %1 Element</numerusform>
            <numerusform>%2 von %1 Elementen</numerusform>
        </translation>
    </message>
    <message>
        <source>NaN came in: %1</source>
        <translation>NaN kam herein: %1</translation>
    </message>
    <message>
        <source>0 · inf: %1 times %2</source>
        <translation>0 · inf: %1 mal %2</translation>
    </message>
    <message>
        <source>inf − inf: %1 and %2</source>
        <translation>inf − inf: %1 und %2</translation>
    </message>
    <message>
        <source>Inf came in: %1</source>
        <translation>Inf kam herein: %1</translation>
    </message>
    <message>
        <source>Inf came in: %1 times inf</source>
        <translation>Inf kam herein: %1 mal inf</translation>
    </message>
    <message>
        <source>#%1 %2 is not followed: %3</source>
        <translation>#%1 %2 wird nicht verfolgt: %3</translation>
    </message>
    <message numerus="yes">
        <source>the scale of %1 normalisations is held at what it was</source>
        <comment>the scale of %1 normalisation is held at what it was</comment>
        <translation>
            <numerusform>die Skala von %1 Normalisierung wird festgehalten, wie sie war</numerusform>
            <numerusform>die Skala von %1 Normalisierungen wird festgehalten, wie sie war</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all the way back to %1 inputs, weights and constants</source>
        <comment>all the way back to %1 input, weight or constant</comment>
        <translation>
            <numerusform>ganz zurück bis zu %1 Eingabe, Gewicht oder Konstante</numerusform>
            <numerusform>ganz zurück bis zu %1 Eingaben, Gewichten und Konstanten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 elements</source>
        <comment>%1 element</comment>
        <translation>
            <numerusform>%1 Element</numerusform>
            <numerusform>%1 Elemente</numerusform>
        </translation>
    </message>
    <message>
        <source>nothing in this run depends on it</source>
        <translation>nichts in diesem Lauf hängt davon ab</translation>
    </message>
    <message numerus="yes">
        <source>reaches %2 of %1 values</source>
        <comment>reaches %2 of %1 value</comment>
        <translation>
            <numerusform>erreicht %2 von %1 Wert</numerusform>
            <numerusform>erreicht %2 von %1 Werten</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>NaN or Inf in %1: %2 of their elements</source>
        <translation>NaN oder Inf in %1: %2 ihrer Elemente</translation>
    </message>
    <message>
        <source>NaN or Inf in %1 of %2 gradients (%3): %4 of their elements</source>
        <translation>NaN oder Inf in %1 von %2 Gradienten (%3): %4 ihrer Elemente</translation>
    </message>
    <message>
        <source>; first at #%1 %2</source>
        <translation>; zuerst bei #%1 %2</translation>
    </message>
    <message>
        <source>exploding: the norm of all gradients is %1</source>
        <translation>explodierend: Die Norm aller Gradienten ist %1</translation>
    </message>
    <message>
        <source>; %1 has %2 times the norm of the weights</source>
        <translation>; %1 hat das %2-fache der Norm der Gewichte</translation>
    </message>
    <message>
        <source>; %1 have up to %2 times the norm of the weights</source>
        <translation>; %1 haben bis zum %2-fachen der Norm der Gewichte</translation>
    </message>
    <message>
        <source>vanishing in every layer: the norm of all gradients is %1; the loss is at a minimum, or flat</source>
        <translation>verschwindend in jeder Schicht: Die Norm aller Gradienten ist %1; der Loss ist in einem Minimum, oder flach</translation>
    </message>
    <message>
        <source>vanishing towards the input: from %1 to %2 the gradient falls to %3 of it, by about %4 a layer</source>
        <translation>verschwindend zur Eingabe hin: Von %1 zu %2 fällt der Gradient auf %3 davon, etwa um das %4-fache je Schicht</translation>
    </message>
    <message>
        <source>exploding towards the input: from %1 to %2 the gradient rises to %3 of it, by about %4 a layer</source>
        <translation>explodierend zur Eingabe hin: Von %1 zu %2 steigt der Gradient auf %3 davon, etwa um das %4-fache je Schicht</translation>
    </message>
    <message>
        <source>%1 is exploding beside the other layers: %2 times the median layer&apos;s gradient</source>
        <translation>%1 explodiert gegenüber den anderen Schichten: das %2-fache des Gradienten der mittleren Schicht</translation>
    </message>
    <message>
        <source>%1 are exploding beside the other layers: %2 times the median layer&apos;s gradient</source>
        <translation>%1 explodieren gegenüber den anderen Schichten: das %2-fache des Gradienten der mittleren Schicht</translation>
    </message>
    <message>
        <source>%1 is vanishing beside the other layers: %2 times the median layer&apos;s gradient</source>
        <translation>%1 verschwindet gegenüber den anderen Schichten: das %2-fache des Gradienten der mittleren Schicht</translation>
    </message>
    <message>
        <source>%1 are vanishing beside the other layers: %2 times the median layer&apos;s gradient</source>
        <translation>%1 verschwinden gegenüber den anderen Schichten: das %2-fache des Gradienten der mittleren Schicht</translation>
    </message>
    <message>
        <source>%1 (line %2)</source>
        <translation>%1 (Zeile %2)</translation>
    </message>
    <message>
        <source>%1 is dead for 100 % of the batch</source>
        <translation>%1 ist für 100 % des Batches tot</translation>
    </message>
    <message>
        <source>%1 gives nothing but zeros (%2)</source>
        <translation>%1 liefert nur Nullen (%2)</translation>
    </message>
    <message>
        <source>%1 passes no gradient on (%2 #%3)</source>
        <translation>%1 gibt keinen Gradienten weiter (%2 #%3)</translation>
    </message>
    <message>
        <source>likewise %1</source>
        <translation>ebenso %1</translation>
    </message>
    <message numerus="yes">
        <source>no gradient: %2 (%1 parameters)</source>
        <comment>no gradient: %2 (%1 parameter)</comment>
        <translation>
            <numerusform>kein Gradient: %2 (%1 Parameter)</numerusform>
            <numerusform>kein Gradient: %2 (%1 Parameter)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>no gradient before %2: %3 (%1 parameters)</source>
        <comment>no gradient before %2: %3 (%1 parameter)</comment>
        <translation>
            <numerusform>kein Gradient vor %2: %3 (%1 Parameter)</numerusform>
            <numerusform>kein Gradient vor %2: %3 (%1 Parameter)</numerusform>
        </translation>
    </message>
    <message>
        <source>the gradient of %1 is zero in every element</source>
        <translation>der Gradient von %1 ist in jedem Element null</translation>
    </message>
    <message>
        <source>%1 gradients are zero in every element: %2</source>
        <translation>%1 Gradienten sind in jedem Element null: %2</translation>
    </message>
    <message>
        <source>%1 got no gradient: nothing that backward came from used it</source>
        <translation>%1 bekam keinen Gradienten: nichts, wovon rückwärts ausging, benutzte es</translation>
    </message>
    <message>
        <source>%1 got no gradient: nothing that backward came from used them</source>
        <translation>%1 bekamen keinen Gradienten: nichts, wovon rückwärts ausging, benutzte sie</translation>
    </message>
    <message>
        <source>%1 have NaN or Inf</source>
        <translation>%1 enthalten NaN oder Inf</translation>
    </message>
    <message>
        <source>%1 has NaN or Inf</source>
        <translation>%1 enthält NaN oder Inf</translation>
    </message>
    <message>
        <source>%1 are exploding</source>
        <translation>%1 explodieren</translation>
    </message>
    <message>
        <source>%1 is exploding</source>
        <translation>%1 explodiert</translation>
    </message>
    <message>
        <source>%1 are vanishing</source>
        <translation>%1 verschwinden</translation>
    </message>
    <message>
        <source>%1 is vanishing</source>
        <translation>%1 verschwindet</translation>
    </message>
    <message>
        <source>%1 are all zero</source>
        <translation>%1 sind überall null</translation>
    </message>
    <message>
        <source>%1 is all zero</source>
        <translation>%1 ist überall null</translation>
    </message>
    <message>
        <source>%1 got no gradient</source>
        <translation>%1: kein Gradient</translation>
    </message>
    <message numerus="yes">
        <source>in %2 of the %1 steps looked at, first seen at step %3</source>
        <comment>in %2 of the %1 step looked at, first seen at step %3</comment>
        <translation>
            <numerusform>in %2 von %1 betrachteten Schritt, zuerst gesehen in Schritt %3</numerusform>
            <numerusform>in %2 von %1 betrachteten Schritten, zuerst gesehen in Schritt %3</numerusform>
        </translation>
    </message>
    <message>
        <source> (not yet at step %1)</source>
        <translation> (noch nicht in Schritt %1)</translation>
    </message>
    <message>
        <source>no loss chosen: scale is not judged</source>
        <translation>kein Loss gewählt: Die Größenordnung wird nicht beurteilt</translation>
    </message>
    <message>
        <source> (backward from %1)</source>
        <translation> (rückwärts ab: %1)</translation>
    </message>
    <message>
        <source>: %1 gives nothing but zeros there</source>
        <translation>: %1 liefert dort nur Nullen</translation>
    </message>
    <message>
        <source> (%1 to the power of %2)</source>
        <translation> (%1 hoch %2)</translation>
    </message>
    <message>
        <source>a cast from %1 to %2 of numbers beyond the largest %2 (%3)</source>
        <translation>ein Cast von %1 nach %2 von Zahlen über dem größten %2 (%3)</translation>
    </message>
    <message>
        <source>keep it in %1, cast to bfloat16, or scale the values down before the cast (a loss: torch.amp.GradScaler)</source>
        <translation>in %1 lassen, in bfloat16 umwandeln, oder die Werte vor dem Cast kleiner skalieren (einen Loss: torch.amp.GradScaler)</translation>
    </message>
    <message>
        <source>keep it in %1, or scale the values down before the cast</source>
        <translation>in %1 lassen, oder die Werte vor dem Cast kleiner skalieren</translation>
    </message>
    <message>
        <source> (%1 is 0 in %2, whose smallest number is %3)</source>
        <translation> (%1 ist 0 in %2, dessen kleinste Zahl %3 ist)</translation>
    </message>
    <message>
        <source> (by an eps of %1)</source>
        <translation> (durch ein eps von %1)</translation>
    </message>
    <message>
        <source>use a larger eps, such as 1e-4, or compute this part in %1</source>
        <translation>ein größeres eps nehmen, etwa 1e-4, oder diesen Teil in %1 rechnen</translation>
    </message>
    <message>
        <source>use a larger eps, or compute this part in %1</source>
        <translation>ein größeres eps nehmen, oder diesen Teil in %1 rechnen</translation>
    </message>
    <message>
        <source>%1 backward beyond the largest %2 (65504)</source>
        <translation>%1 rückwärts über dem größten %2 (65504)</translation>
    </message>
    <message>
        <source>%1 beyond the largest %2 (65504)</source>
        <translation>%1 über dem größten %2 (65504)</translation>
    </message>
    <message>
        <source>run it in bfloat16 or float32, or scale the values down (in training the loss: torch.amp.GradScaler)</source>
        <translation>in bfloat16 oder float32 ausführen, oder die Werte kleiner skalieren (im Training den Loss: torch.amp.GradScaler)</translation>
    </message>
    <message>
        <source>0 · Inf and Inf − Inf are NaN: see where the Inf comes from (Go to origin)</source>
        <translation>0 · Inf und Inf − Inf sind NaN: nachsehen, woher das Inf kommt (Zum Ursprung gehen)</translation>
    </message>
    <message>
        <source>%1 of numbers up to %2 overflows and</source>
        <translation>%1 von Zahlen bis %2 läuft über und</translation>
    </message>
    <message>
        <source>the gradient there is 0, and 0 · Inf is NaN</source>
        <translation>der Gradient dort ist 0, und 0 · Inf ist NaN</translation>
    </message>
    <message>
        <source>the gradient there is 0 (%1 leaves it out), and 0 · Inf is NaN</source>
        <translation>der Gradient dort ist 0 (%1 lässt es aus), und 0 · Inf ist NaN</translation>
    </message>
    <message>
        <source>give it a safe input where the mask leaves it out, as well as choosing behind it: torch.where(mask, x, 1)</source>
        <translation>ihm dort, wo die Maske es auslässt, eine unbedenkliche Eingabe geben, zusätzlich zur Auswahl danach: torch.where(mask, x, 1)</translation>
    </message>
    <message>
        <source>give %1 a safe input where the mask leaves it out, as well as choosing behind it: torch.where(mask, x, 1)</source>
        <translation>%1 dort, wo die Maske es auslässt, eine unbedenkliche Eingabe geben, zusätzlich zur Auswahl danach: torch.where(mask, x, 1)</translation>
    </message>
    <message>
        <source>shape %1, there %2</source>
        <translation>Form %1, dort %2</translation>
    </message>
    <message>
        <source>the reference kept no elements</source>
        <translation>die Referenz hat keine Elemente behalten</translation>
    </message>
    <message>
        <source>no elements were kept</source>
        <translation>es wurden keine Elemente behalten</translation>
    </message>
    <message>
        <source>elements of another number</source>
        <translation>Elemente in anderer Anzahl</translation>
    </message>
    <message>
        <source>it failed here</source>
        <translation>es schlug hier fehl</translation>
    </message>
    <message>
        <source>it failed in the reference</source>
        <translation>es schlug in der Referenz fehl</translation>
    </message>
    <message>
        <source>the model itself</source>
        <translation>das Modell selbst</translation>
    </message>
    <message>
        <source> (there %1)</source>
        <translation> (dort %1)</translation>
    </message>
    <message numerus="yes">
        <source>; %2 of %1 elements beyond tolerance</source>
        <comment>; %2 of %1 element beyond tolerance</comment>
        <translation>
            <numerusform>; %2 von %1 Element außerhalb der Toleranz</numerusform>
            <numerusform>; %2 von %1 Elementen außerhalb der Toleranz</numerusform>
        </translation>
    </message>
    <message>
        <source>this run has not ended</source>
        <translation>dieser Lauf ist nicht beendet</translation>
    </message>
    <message>
        <source>the reference did not run further than #%1</source>
        <translation>die Referenz lief nicht weiter als #%1</translation>
    </message>
    <message>
        <source>the runs have no event in common</source>
        <translation>die Läufe haben kein gemeinsames Ereignis</translation>
    </message>
    <message numerus="yes">
        <source>%1 aligned events not compared: %2</source>
        <comment>%1 aligned event not compared: %2</comment>
        <translation>
            <numerusform>%1 zugeordnetes Ereignis nicht verglichen: %2</numerusform>
            <numerusform>%1 zugeordnete Ereignisse nicht verglichen: %2</numerusform>
        </translation>
    </message>
    <message>
        <source>they made no tensors</source>
        <translation>sie machten keine Tensoren</translation>
    </message>
    <message>
        <source>first divergence: %1</source>
        <translation>erste Abweichung: %1</translation>
    </message>
    <message>
        <source>first divergence, in backward: %1</source>
        <translation>erste Abweichung, rückwärts: %1</translation>
    </message>
    <message>
        <source>nothing could be compared: the runs have no event in common</source>
        <translation>nichts ließ sich vergleichen: Die Läufe haben kein gemeinsames Ereignis</translation>
    </message>
    <message numerus="yes">
        <source>nothing could be compared: no elements of the %1 aligned events were kept</source>
        <comment>nothing could be compared: no elements of the %1 aligned event were kept</comment>
        <translation>
            <numerusform>nichts ließ sich vergleichen: Von %1 zugeordneten Ereignis wurden keine Elemente behalten</numerusform>
            <numerusform>nichts ließ sich vergleichen: Von %1 zugeordneten Ereignissen wurden keine Elemente behalten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>no divergence: %2 of %1 events compared, all within tolerance</source>
        <comment>no divergence: %2 of %1 event compared, all within tolerance</comment>
        <translation>
            <numerusform>keine Abweichung: %2 von %1 Ereignis verglichen, alle innerhalb der Toleranz</numerusform>
            <numerusform>keine Abweichung: %2 von %1 Ereignissen verglichen, alle innerhalb der Toleranz</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%2 holds %3 NaN of %1 elements</source>
        <comment>%2 holds %3 NaN of %1 element</comment>
        <translation>
            <numerusform>%2 enthält %3 NaN in %1 Element</numerusform>
            <numerusform>%2 enthält %3 NaN in %1 Elementen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%2 holds %3 Inf of %1 elements</source>
        <comment>%2 holds %3 Inf of %1 element</comment>
        <translation>
            <numerusform>%2 enthält %3 Inf in %1 Element</numerusform>
            <numerusform>%2 enthält %3 Inf in %1 Elementen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 when the source has run, as it does when it is opened</source>
        <translation>%1, wenn der Quelltext gelaufen ist, wie beim Öffnen</translation>
    </message>
    <message>
        <source>look at what gives it: what the source computes at module level, or weights that it loads</source>
        <translation>nachsehen, was es liefert: was der Quelltext auf Modulebene berechnet, oder Gewichte, die er lädt</translation>
    </message>
    <message>
        <source>%1 when the source has run: its loop at module level, %2, trains while the file is opened, where nothing is recorded</source>
        <translation>%1, wenn der Quelltext gelaufen ist: Seine Schleife auf Modulebene, %2, trainiert schon beim Öffnen der Datei, wo nichts aufgezeichnet wird</translation>
    </message>
    <message>
        <source>put that loop into a def, open the file again and press Train: it stops at the step that makes the first NaN or Inf and names the operator and its line</source>
        <translation>diese Schleife in ein def setzen, die Datei erneut öffnen und Trainieren drücken: Es hält bei dem Schritt an, der das erste NaN oder Inf erzeugt, und nennt den Operator und seine Zeile</translation>
    </message>
    <message numerus="yes">
        <source>; %1 other events make more</source>
        <comment>; %1 other event makes more</comment>
        <translation>
            <numerusform>; %1 weiteres Ereignis erzeugt noch mehr</numerusform>
            <numerusform>; %1 weitere Ereignisse erzeugen noch mehr</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; %1 events pass it on</source>
        <comment>; %1 event passes it on</comment>
        <translation>
            <numerusform>; %1 Ereignis reicht es weiter</numerusform>
            <numerusform>; %1 Ereignisse reichen es weiter</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 gives a loss that is %2</source>
        <translation>%1 liefert einen Loss, der %2 ist</translation>
    </message>
    <message>
        <source>%1 gives a result that is %2</source>
        <translation>%1 liefert ein Ergebnis, das %2 ist</translation>
    </message>
    <message>
        <source>, for a class that label smoothing counts is masked (-Inf)</source>
        <translation>, denn eine Klasse, die das Label Smoothing mitzählt, ist maskiert (-Inf)</translation>
    </message>
    <message>
        <source>mask logits with a large finite number, or train without label smoothing</source>
        <translation>Logits mit einer großen endlichen Zahl maskieren, oder ohne Label Smoothing trainieren</translation>
    </message>
    <message>
        <source>, for the target&apos;s class is masked (-Inf)</source>
        <translation>, denn die Klasse des Ziels ist maskiert (-Inf)</translation>
    </message>
    <message>
        <source>keep the target&apos;s class unmasked, or mask logits with a large finite number</source>
        <translation>die Klasse des Ziels unmaskiert lassen, oder Logits mit einer großen endlichen Zahl maskieren</translation>
    </message>
    <message>
        <source>, a constant of the program, and nothing makes it finite again</source>
        <translation>, eine Konstante des Programms, und nichts macht es wieder endlich</translation>
    </message>
    <message>
        <source>, for the masked value of %1 reaches it</source>
        <translation>, denn der maskierte Wert von %1 erreicht es</translation>
    </message>
    <message>
        <source>, for a masked value of before the run reaches it</source>
        <translation>, denn ein maskierter Wert von vor dem Lauf erreicht es</translation>
    </message>
    <message>
        <source>mask with a large finite number, or take the masked elements out before the end</source>
        <translation>mit einer großen endlichen Zahl maskieren, oder die maskierten Elemente vor dem Ende herausnehmen</translation>
    </message>
    <message>
        <source>backward was not searched: Backward is off</source>
        <translation>rückwärts wurde nicht gesucht: Rückwärts ist aus</translation>
    </message>
    <message>
        <source>not searched, for it is unticked in Modules: %1</source>
        <translation>nicht gesucht, da in Module abgewählt: %1</translation>
    </message>
    <message>
        <source>breakpoint %1 was not met</source>
        <translation>Haltepunkt %1 wurde nicht erreicht</translation>
    </message>
    <message>
        <source>forward and backward</source>
        <translation>vorwärts und rückwärts</translation>
    </message>
    <message numerus="yes">
        <source>finished %2: %1 events; NaN and Inf were not looked for: values are not recorded</source>
        <comment>finished %2: %1 event; NaN and Inf were not looked for: values are not recorded</comment>
        <translation>
            <numerusform>fertig, %2: %1 Ereignis; nach NaN und Inf wurde nicht gesehen: Werte werden nicht aufgezeichnet</numerusform>
            <numerusform>fertig, %2: %1 Ereignisse; nach NaN und Inf wurde nicht gesehen: Werte werden nicht aufgezeichnet</numerusform>
        </translation>
    </message>
    <message>
        <source>no NaN or Inf in %1</source>
        <translation>kein NaN oder Inf %1</translation>
    </message>
    <message numerus="yes">
        <source>finished: %1 events in %2, no NaN or Inf</source>
        <comment>finished: %1 event in %2, no NaN or Inf</comment>
        <translation>
            <numerusform>fertig: %1 Ereignis %2, kein NaN oder Inf</numerusform>
            <numerusform>fertig: %1 Ereignisse %2, kein NaN oder Inf</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> but those meant (constants of the program, in %1 events)</source>
        <comment> but those meant (constants of the program, in %1 event)</comment>
        <translation>
            <numerusform> außer gewollten (Konstanten des Programms, in %1 Ereignis)</numerusform>
            <numerusform> außer gewollten (Konstanten des Programms, in %1 Ereignissen)</numerusform>
        </translation>
    </message>
    <message>
        <source>see what makes all that reaches it negative: a bias, a learning rate, the scale of the inputs</source>
        <translation>nachsehen, was alles negativ macht, was dort ankommt: ein Bias, eine Lernrate, die Skala der Eingaben</translation>
    </message>
    <message>
        <source>%1 turns an Inf into the first NaN %2</source>
        <translation>%1 macht %2 aus einem Inf das erste NaN</translation>
    </message>
    <message>
        <source>%1 turns an Inf into a NaN %2</source>
        <translation>%1 macht %2 aus einem Inf ein NaN</translation>
    </message>
    <message>
        <source>%1 turns an Inf into the first Inf %2</source>
        <translation>%1 macht %2 aus einem Inf das erste Inf</translation>
    </message>
    <message>
        <source>%1 turns an Inf into an Inf %2</source>
        <translation>%1 macht %2 aus einem Inf ein Inf</translation>
    </message>
    <message>
        <source>%1 makes the first NaN %2</source>
        <translation>%1 erzeugt %2 das erste NaN</translation>
    </message>
    <message>
        <source>%1 makes a NaN %2</source>
        <translation>%1 erzeugt %2 ein NaN</translation>
    </message>
    <message>
        <source>%1 makes the first Inf %2</source>
        <translation>%1 erzeugt %2 das erste Inf</translation>
    </message>
    <message>
        <source>%1 makes an Inf %2</source>
        <translation>%1 erzeugt %2 ein Inf</translation>
    </message>
    <message>
        <source>%1; or %2</source>
        <translation>%1; oder %2</translation>
    </message>
    <message>
        <source>; before it %1 (#%2)</source>
        <translation>; davor: %1 (#%2)</translation>
    </message>
    <message>
        <source>%1 gives a constant that is not finite, and results are not finite by it</source>
        <translation>%1 liefert eine Konstante, die nicht endlich ist, und durch sie sind Ergebnisse nicht endlich</translation>
    </message>
    <message>
        <source>a value of before the run is not finite before the run</source>
        <translation>ein Wert von vor dem Lauf ist schon vor dem Lauf nicht endlich</translation>
    </message>
    <message>
        <source>%1 before the run</source>
        <translation>%1 vor dem Lauf</translation>
    </message>
    <message>
        <source>look at what gives it: the data, a checkpoint, or a step of training before</source>
        <translation>nachsehen, was es liefert: die Daten, ein Checkpoint, oder ein früherer Schritt eines Trainings</translation>
    </message>
    <message>
        <source>; outputs and gradients are finite again</source>
        <translation>; Ausgaben und Gradienten sind wieder endlich</translation>
    </message>
    <message>
        <source>values of before the run are not finite before the run; outputs and gradients are finite</source>
        <translation>Werte von vor dem Lauf sind schon vor dem Lauf nicht endlich; Ausgaben und Gradienten sind endlich</translation>
    </message>
    <message>
        <source>%1 before the run; outputs and gradients are finite</source>
        <translation>%1 vor dem Lauf; Ausgaben und Gradienten sind endlich</translation>
    </message>
    <message>
        <source>; no further one was met</source>
        <translation>; kein weiteres wurde angetroffen</translation>
    </message>
    <message>
        <source>%1 before the step; %2</source>
        <translation>%1 vor dem Schritt; %2</translation>
    </message>
    <message>
        <source>the loss jumps to %1 at step %2: it was about %3 before, %4 times as much</source>
        <translation>der Loss springt auf %1 in Schritt %2: Vorher war er etwa %3, das ist das %4-fache</translation>
    </message>
    <message>
        <source>the loss jumps to %1 at step %2: it was about %3 before, higher by %4</source>
        <translation>der Loss springt auf %1 in Schritt %2: Vorher war er etwa %3, das sind %4 mehr</translation>
    </message>
    <message>
        <source>backward gives no parameter a gradient since step %1</source>
        <translation>rückwärts liefert seit Schritt %1 keinem Parameter einen Gradienten</translation>
    </message>
    <message>
        <source>the gradient of every parameter is exactly 0 since step %1</source>
        <translation>der Gradient jedes Parameters ist seit Schritt %1 genau 0</translation>
    </message>
    <message>
        <source>backward gives no gradient to %1 since step %2</source>
        <translation>rückwärts liefert %1 seit Schritt %2 keinen Gradienten</translation>
    </message>
    <message>
        <source>the gradient of %1 is exactly 0 since step %2</source>
        <translation>der Gradient von %1 ist seit Schritt %2 genau 0</translation>
    </message>
    <message numerus="yes">
        <source>backward gives no gradient to %2 and %1 other parameters since step %3</source>
        <comment>backward gives no gradient to %2 and %1 other parameter since step %3</comment>
        <translation>
            <numerusform>rückwärts liefert %2 und %1 anderen Parameter seit Schritt %3 keinen Gradienten</numerusform>
            <numerusform>rückwärts liefert %2 und %1 anderen Parametern seit Schritt %3 keinen Gradienten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>the gradients of %2 and %1 other parameters are exactly 0 since step %3</source>
        <comment>the gradients of %2 and %1 other parameter are exactly 0 since step %3</comment>
        <translation>
            <numerusform>die Gradienten von %2 und %1 anderen Parameter sind seit Schritt %3 genau 0</numerusform>
            <numerusform>die Gradienten von %2 und %1 anderen Parametern sind seit Schritt %3 genau 0</numerusform>
        </translation>
    </message>
    <message>
        <source>the loss is %1</source>
        <translation>der Loss ist %1</translation>
    </message>
    <message>
        <source>; %1 moved the weights by %2 times their norm at step %3: lower the learning rate</source>
        <translation>; %1 bewegte die Gewichte in Schritt %3 um das %2-fache ihrer Norm: Lernrate senken</translation>
    </message>
    <message>
        <source>; %1 moved the weights by %2 % of their norm at step %3: lower the learning rate</source>
        <translation>; %1 bewegte die Gewichte in Schritt %3 um %2 % ihrer Norm: Lernrate senken</translation>
    </message>
    <message>
        <source>the loss diverges: %1 at step %2, %3 at step %4</source>
        <translation>der Loss divergiert: %1 in Schritt %2, %3 in Schritt %4</translation>
    </message>
    <message>
        <source>what was learned is lost: the loss is back at %1, it was %2 at step %3</source>
        <translation>das Gelernte ist verloren: Der Loss ist wieder bei %1, er war %2 in Schritt %3</translation>
    </message>
    <message>
        <source>the loss rises: %1 at step %2, %3 at step %4</source>
        <translation>der Loss steigt: %1 in Schritt %2, %3 in Schritt %4</translation>
    </message>
    <message>
        <source>the loss stays at about %1: %2 % lower over %3 steps</source>
        <translation>der Loss bleibt bei etwa %1: %2 % niedriger über %3 Schritte</translation>
    </message>
    <message>
        <source>the loss stays at about %1: no lower over %2 steps</source>
        <translation>der Loss bleibt bei etwa %1: nicht niedriger über %2 Schritte</translation>
    </message>
    <message>
        <source>%1: %2 of %3 units gave only 0 at the last %4 steps recorded (%5)</source>
        <translation>%1: %2 von %3 Einheiten lieferten nur 0 in den letzten %4 aufgezeichneten Schritten (%5)</translation>
    </message>
    <message numerus="yes">
        <source>loss %2 → %3 in %1 steps</source>
        <comment>loss %2 → %3 in %1 step</comment>
        <translation>
            <numerusform>Loss %2 → %3 in %1 Schritt</numerusform>
            <numerusform>Loss %2 → %3 in %1 Schritten</numerusform>
        </translation>
    </message>
    <message>
        <source>, lowest %1 at step %2</source>
        <translation>, niedrigster %1 in Schritt %2</translation>
    </message>
    <message>
        <source> (step %1)</source>
        <translation> (Schritt %1)</translation>
    </message>
    <message>
        <source>the ranks do different things</source>
        <translation>die Ränge tun Verschiedenes</translation>
    </message>
    <message>
        <source>the ranks reduce in different ways</source>
        <translation>die Ränge reduzieren auf verschiedene Weise</translation>
    </message>
    <message>
        <source>the ranks give different dtypes</source>
        <translation>die Ränge geben verschiedene dtypes</translation>
    </message>
    <message>
        <source>the ranks give different shapes</source>
        <translation>die Ränge geben verschiedene Formen</translation>
    </message>
    <message>
        <source>the ranks name different roots</source>
        <translation>die Ränge nennen verschiedene Wurzeln</translation>
    </message>
    <message>
        <source>the ranks disagree in who takes part</source>
        <translation>die Ränge sind sich uneins, wer teilnimmt</translation>
    </message>
    <message>
        <source>event %1</source>
        <translation>Ereignis %1</translation>
    </message>
    <message numerus="yes">
        <source>; as if rank %2 had left out %1 collectives, the first at %3</source>
        <comment>; as if rank %2 had left out %1 collective, the first at %3</comment>
        <translation>
            <numerusform>; als hätte Rang %2 %1 kollektive Operation ausgelassen, die erste bei %3</numerusform>
            <numerusform>; als hätte Rang %2 %1 kollektive Operationen ausgelassen, die erste bei %3</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>; as if rank %2 had %1 collectives more, the first at %3</source>
        <comment>; as if rank %2 had %1 collective more, the first at %3</comment>
        <translation>
            <numerusform>; als hätte Rang %2 %1 kollektive Operation mehr, die erste bei %3</numerusform>
            <numerusform>; als hätte Rang %2 %1 kollektive Operationen mehr, die erste bei %3</numerusform>
        </translation>
    </message>
    <message>
        <source>; the two are in another order</source>
        <translation>; die beiden stehen in anderer Reihenfolge</translation>
    </message>
    <message>
        <source>it has no event</source>
        <translation>er hat kein Ereignis</translation>
    </message>
    <message>
        <source>its last event is #%1 %2</source>
        <translation>sein letztes Ereignis ist #%1 %2</translation>
    </message>
    <message>
        <source>%1 of %2 (%3) is missing on %4: %5</source>
        <translation>%1 von %2 (%3) fehlt auf %4: %5</translation>
    </message>
    <message>
        <source>message #%1 from rank %2 to %3</source>
        <translation>Nachricht #%1 von Rang %2 an %3</translation>
    </message>
    <message>
        <source> of group %1</source>
        <translation> der Gruppe %1</translation>
    </message>
    <message>
        <source>%1 on rank %2</source>
        <translation>%1 auf Rang %2</translation>
    </message>
    <message>
        <source>nothing on rank %1</source>
        <translation>nichts auf Rang %1</translation>
    </message>
    <message>
        <source>the arguments differ: %1, %2</source>
        <translation>die Argumente sind verschieden: %1, %2</translation>
    </message>
    <message>
        <source>it comes from %1 #%2 (%3) on rank %4, on rank %5 from no collective</source>
        <translation>es kommt auf Rang %4 aus %1 #%2 (%3), auf Rang %5 aus keiner kollektiven Operation</translation>
    </message>
    <message>
        <source>it differs from the beginning of the recording</source>
        <translation>es weicht vom Anfang der Aufzeichnung an ab</translation>
    </message>
    <message>
        <source>one rank did not make it</source>
        <translation>ein Rang hat es nicht erzeugt</translation>
    </message>
    <message>
        <source>it is made by %1 and by %2</source>
        <translation>es wird erzeugt von %1 und von %2</translation>
    </message>
    <message>
        <source>the operation gave the ranks different results</source>
        <translation>die Operation gab den Rängen verschiedene Ergebnisse</translation>
    </message>
    <message>
        <source>it draws random numbers</source>
        <translation>es zieht Zufallszahlen</translation>
    </message>
    <message>
        <source>not all that it reads was measured</source>
        <translation>nicht alles, was es liest, wurde gemessen</translation>
    </message>
    <message>
        <source>all that it reads is equal</source>
        <translation>alles, was es liest, ist gleich</translation>
    </message>
    <message>
        <source>its clock is the common one</source>
        <translation>seine Uhr ist die gemeinsame</translation>
    </message>
    <message>
        <source>by the clock of one host</source>
        <translation>nach der Uhr eines Hosts</translation>
    </message>
    <message>
        <source>by the ends of collectives, within %1</source>
        <translation>nach den Enden kollektiver Operationen, auf %1 genau</translation>
    </message>
    <message>
        <source>by the launches of collectives, within %1: who is late on the whole cannot be seen</source>
        <translation>nach den Starts kollektiver Operationen, auf %1 genau: Wer insgesamt spät ist, lässt sich nicht sehen</translation>
    </message>
    <message>
        <source>not known: it has no collective in common with the first rank</source>
        <translation>unbekannt: Er hat keine kollektive Operation mit dem ersten Rang gemeinsam</translation>
    </message>
    <message>
        <source>before the recording</source>
        <translation>der Zeit vor der Aufzeichnung</translation>
    </message>
    <message>
        <source>event #%1 %2</source>
        <translation>Ereignis #%1 %2</translation>
    </message>
    <message>
        <source>no parameter is equal on the ranks at any time, though gradients are reduced: %1 differs on %2 from %3: were the weights broadcast, or made of the same random numbers?</source>
        <translation>kein Parameter ist je auf den Rängen gleich, obwohl Gradienten reduziert werden: %1 ist auf %2 anders als auf %3: Wurden die Gewichte verteilt, oder aus denselben Zufallszahlen gemacht?</translation>
    </message>
    <message>
        <source>parameter %1</source>
        <translation>Parameter %1</translation>
    </message>
    <message>
        <source>the result of %1</source>
        <translation>das Ergebnis von %1</translation>
    </message>
    <message>
        <source>%1 differs on %2 from %3 after %4</source>
        <translation>%1 ist auf %2 anders als auf %3 nach %4</translation>
    </message>
    <message>
        <source>%1 differs between %2 and %3 after %4</source>
        <translation>%1 ist auf %2 anders als auf %3 nach %4</translation>
    </message>
    <message>
        <source>: it begins at %1 of rank %2</source>
        <translation>: Es beginnt bei %1 von Rang %2</translation>
    </message>
    <message>
        <source>what %1 reads</source>
        <translation>dem, was %1 liest</translation>
    </message>
    <message>
        <source>%1 brings NaN or Inf into %2, which all ranks have from there on: it begins at %3 of rank %4</source>
        <translation>%1 bringt NaN oder Inf in %2, das von da an alle Ränge haben: Es beginnt bei %3 von Rang %4</translation>
    </message>
    <message>
        <source>%1 bring NaN or Inf into %2, which all ranks have from there on: it begins at %3 of rank %4</source>
        <translation>%1 bringen NaN oder Inf in %2, das von da an alle Ränge haben: Es beginnt bei %3 von Rang %4</translation>
    </message>
    <message>
        <source>rank %1 failed: %2; %3</source>
        <translation>Rang %1 schlug fehl: %2; %3</translation>
    </message>
    <message>
        <source>rank %1 waits in %2 (%3) for %4</source>
        <translation>Rang %1 wartet in %2 (%3) auf %4</translation>
    </message>
    <message>
        <source>rank %1 never reached %2 (%3): %4</source>
        <translation>Rang %1 hat %2 (%3) nie erreicht: %4</translation>
    </message>
    <message>
        <source>rank %1 has not reached %2 (%3), in which others wait: %4</source>
        <translation>Rang %1 hat %2 (%3) nicht erreicht, worin andere warten: %4</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>waits in %1 for %2</source>
        <translation>wartet in %1 auf %2</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>stopped before %1</source>
        <translation>angehalten vor %1</translation>
    </message>
    <message>
        <source>First mismatch</source>
        <translation>Erste Unstimmigkeit</translation>
    </message>
    <message>
        <source>NaN or Inf</source>
        <translation>NaN oder Inf</translation>
    </message>
    <message>
        <source>First difference</source>
        <translation>Erster Unterschied</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Not there</source>
        <translation>Nicht da</translation>
    </message>
    <message>
        <source>these are recordings of different runs, which cannot be held against each other</source>
        <translation>das sind Aufzeichnungen verschiedener Läufe, die sich nicht gegenüberstellen lassen</translation>
    </message>
    <message>
        <source>the ranks do not agree in how many they are</source>
        <translation>die Ränge sind sich uneins, wie viele sie sind</translation>
    </message>
    <message>
        <source>the ranks run different programs</source>
        <translation>die Ränge führen verschiedene Programme aus</translation>
    </message>
    <message>
        <source>there is no recording of %1 of %2</source>
        <translation>es gibt keine Aufzeichnung von %1 von %2</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>ranks %1 and %2 others</source>
        <translation>Rang %1 und %2 weiteren</translation>
    </message>
    <message>
        <source>ranks %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>ranks %1 and %2</source>
        <translation>Rang %1 und %2</translation>
    </message>
    <message>
        <source>a constant, which held it before the run</source>
        <translation>eine Konstante, die es schon vor dem Lauf enthielt</translation>
    </message>
    <message>
        <source>%1, which held it before the run</source>
        <translation>%1, das es schon vor dem Lauf enthielt</translation>
    </message>
    <message>
        <source> ← %1 more</source>
        <translation> ← %1 weitere</translation>
    </message>
    <message>
        <source>rows of a NumPy array, mapped into memory</source>
        <translation>Zeilen eines NumPy-Arrays, in den Speicher abgebildet</translation>
    </message>
    <message>
        <source>rows of the arrays in a NumPy archive</source>
        <translation>Zeilen der Arrays in einem NumPy-Archiv</translation>
    </message>
    <message>
        <source>a table of comma-separated text, .gz or not</source>
        <translation>eine Tabelle aus kommagetrenntem Text, auch als .gz</translation>
    </message>
    <message>
        <source>a folder with MNIST&apos;s four IDX files, .gz or not</source>
        <translation>ein Ordner mit den vier IDX-Dateien von MNIST, auch als .gz</translation>
    </message>
    <message>
        <source>one IDX file, .gz or not</source>
        <translation>eine IDX-Datei, auch als .gz</translation>
    </message>
    <message>
        <source>a folder a class, PNG and JPEG pictures in them</source>
        <translation>je Klasse ein Ordner mit PNG- und JPEG-Bildern</translation>
    </message>
    <message>
        <source>a text in tokens: characters or words</source>
        <translation>ein Text in Tokens: Zeichen oder Wörter</translation>
    </message>
    <message>
        <source>the path of a .npy file</source>
        <translation>der Pfad einer .npy-Datei</translation>
    </message>
    <message>
        <source>one row a sample; relative to the folder of the inputs</source>
        <translation>eine Zeile je Beispiel; relativ zum Ordner der Eingaben</translation>
    </message>
    <message>
        <source>the name of an array</source>
        <translation>der Name eines Arrays</translation>
    </message>
    <message>
        <source>default the first</source>
        <translation>ohne Angabe das erste</translation>
    </message>
    <message>
        <source>default the second of as many rows, if there is one</source>
        <translation>ohne Angabe das zweite mit ebenso vielen Zeilen, wenn es eines gibt</translation>
    </message>
    <message>
        <source>which files of the folder</source>
        <translation>welche Dateien des Ordners</translation>
    </message>
    <message>
        <source>which file of the folder</source>
        <translation>welche Datei des Ordners</translation>
    </message>
    <message>
        <source>100 classes or the 20 they are grouped in</source>
        <translation>100 Klassen oder die 20, zu denen sie zusammengefasst sind</translation>
    </message>
    <message>
        <source>names or numbers of columns, with commas between</source>
        <translation>Namen oder Nummern von Spalten, mit Kommas dazwischen</translation>
    </message>
    <message>
        <source>default all but the target</source>
        <translation>ohne Angabe alle außer dem Ziel</translation>
    </message>
    <message>
        <source>the name or number of a column, or none</source>
        <translation>Name oder Nummer einer Spalte, oder none</translation>
    </message>
    <message>
        <source>texts become classes; whole numbers int64, others float32</source>
        <translation>Texte werden Klassen; ganze Zahlen int64, andere float32</translation>
    </message>
    <message>
        <source>does the first record name the columns?</source>
        <translation>Nennt der erste Datensatz die Spalten?</translation>
    </message>
    <message>
        <source>one character, or tab</source>
        <translation>ein Zeichen, oder tab</translation>
    </message>
    <message>
        <source>default the most frequent of , ; tab | in the first line</source>
        <translation>ohne Angabe das häufigste von , ; tab | in der ersten Zeile</translation>
    </message>
    <message>
        <source>empty fields, NA, NaN, null, ?</source>
        <translation>leere Felder, NA, NaN, null, ?</translation>
    </message>
    <message>
        <source>which part</source>
        <translation>welcher Teil</translation>
    </message>
    <message>
        <source>the path of an IDX file</source>
        <translation>der Pfad einer IDX-Datei</translation>
    </message>
    <message>
        <source>one number a record; relative to the folder of the inputs</source>
        <translation>eine Zahl je Datensatz; relativ zum Ordner der Eingaben</translation>
    </message>
    <message>
        <source>what all pictures are brought to</source>
        <translation>worauf alle Bilder gebracht werden</translation>
    </message>
    <message>
        <source>what a token is</source>
        <translation>was ein Token ist</translation>
    </message>
    <message>
        <source>a number of tokens</source>
        <translation>eine Anzahl Tokens</translation>
    </message>
    <message>
        <source>length of a sample; the target is the same, one token further</source>
        <translation>Länge eines Beispiels; das Ziel ist dasselbe, ein Token weiter</translation>
    </message>
    <message>
        <source>from the beginning of a sample to that of the next</source>
        <translation>vom Anfang eines Beispiels zu dem des nächsten</translation>
    </message>
    <message>
        <source>HxW or the shorter edge</source>
        <translation>HxW oder die kürzere Kante</translation>
    </message>
    <message>
        <source>bilinear, as torchvision on tensors</source>
        <translation>bilinear, wie torchvision auf Tensoren</translation>
    </message>
    <message>
        <source>a wider filter when pictures get smaller, as Pillow</source>
        <translation>ein breiterer Filter, wenn Bilder kleiner werden, wie Pillow</translation>
    </message>
    <message>
        <source>HxW or an edge</source>
        <translation>HxW oder eine Kante</translation>
    </message>
    <message>
        <source>the middle of the picture</source>
        <translation>die Mitte des Bilds</translation>
    </message>
    <message>
        <source>a random part, new each time</source>
        <translation>ein zufälliger Teil, jedes Mal neu</translation>
    </message>
    <message>
        <source>a number of pixels</source>
        <translation>eine Anzahl Pixel</translation>
    </message>
    <message>
        <source>zeros on each side before a random crop</source>
        <translation>Nullen auf jeder Seite vor einem zufälligen Ausschnitt</translation>
    </message>
    <message>
        <source>a probability</source>
        <translation>eine Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>mirror left and right at random</source>
        <translation>zufällig links und rechts spiegeln</translation>
    </message>
    <message>
        <source>numbers, one a channel or one</source>
        <translation>Zahlen, eine je Kanal oder eine</translation>
    </message>
    <message>
        <source>subtracted from values in 0..1</source>
        <translation>wird von Werten in 0..1 abgezogen</translation>
    </message>
    <message>
        <source>divided by after that</source>
        <translation>danach wird hierdurch geteilt</translation>
    </message>
    <message>
        <source>float32 in 0..1 instead of uint8</source>
        <translation>float32 in 0..1 statt uint8</translation>
    </message>
    <message>
        <source>number of NaN elements; alone: there is one</source>
        <translation>Anzahl der NaN-Elemente; allein: es gibt eines</translation>
    </message>
    <message>
        <source>number of infinite elements; alone: there is one</source>
        <translation>Anzahl unendlicher Elemente; allein: es gibt eines</translation>
    </message>
    <message>
        <source>number of zeros</source>
        <translation>Anzahl der Nullen</translation>
    </message>
    <message>
        <source>least finite element</source>
        <translation>kleinstes endliches Element</translation>
    </message>
    <message>
        <source>greatest finite element</source>
        <translation>größtes endliches Element</translation>
    </message>
    <message>
        <source>mean of the finite elements</source>
        <translation>Mittel der endlichen Elemente</translation>
    </message>
    <message>
        <source>standard deviation</source>
        <translation>Standardabweichung</translation>
    </message>
    <message>
        <source>variance</source>
        <translation>Varianz</translation>
    </message>
    <message>
        <source>greatest magnitude</source>
        <translation>größter Betrag</translation>
    </message>
    <message>
        <source>mean magnitude</source>
        <translation>mittlerer Betrag</translation>
    </message>
    <message>
        <source>Euclidean norm</source>
        <translation>euklidische Norm</translation>
    </message>
    <message>
        <source>number of elements</source>
        <translation>Anzahl der Elemente</translation>
    </message>
    <message>
        <source>size, as in bytes &gt; 1MiB</source>
        <translation>Größe, etwa bytes &gt; 1MiB</translation>
    </message>
    <message>
        <source>from what the operator gave when it ran before</source>
        <translation>von dem, was der Operator beim vorigen Mal lieferte</translation>
    </message>
    <message>
        <source>as in shape == 1x64x8x8</source>
        <translation>etwa shape == 1x64x8x8</translation>
    </message>
    <message>
        <source>one size of it</source>
        <translation>eine Größe davon</translation>
    </message>
    <message>
        <source>number of dimensions</source>
        <translation>Anzahl der Dimensionen</translation>
    </message>
    <message>
        <source>as in dtype == float16</source>
        <translation>etwa dtype == float16</translation>
    </message>
    <message>
        <source>what it gives</source>
        <translation>was es liefert</translation>
    </message>
    <message>
        <source>what it takes</source>
        <translation>was es nimmt</translation>
    </message>
    <message>
        <source>its gradient</source>
        <translation>sein Gradient</translation>
    </message>
    <message>
        <source>no input has a gradient: none is of floating point, and none holds tokens</source>
        <translation>keine Eingabe hat einen Gradienten: keine ist aus Gleitkommazahlen, und keine enthält Tokens</translation>
    </message>
    <message>
        <source>no parameter of two dimensions, and no module whose output could be taken</source>
        <translation>kein Parameter mit zwei Dimensionen, und kein Modul, dessen Ausgabe sich nehmen ließe</translation>
    </message>
    <message>
        <source>no convolution: no parameter has four dimensions</source>
        <translation>keine Faltung: kein Parameter hat vier Dimensionen</translation>
    </message>
    <message>
        <source>the model takes no tokens: none of its inputs is of integers</source>
        <translation>das Modell nimmt keine Tokens: keine Eingabe ist aus ganzen Zahlen</translation>
    </message>
    <message>
        <source>no layers stand one on the other</source>
        <translation>keine Schichten stehen aufeinander</translation>
    </message>
    <message>
        <source>names and uses</source>
        <translation>Namen und Verwendungen</translation>
    </message>
    <message>
        <source>the norm of the gradients is %1</source>
        <translation>die Norm der Gradienten ist %1</translation>
    </message>
    <message numerus="yes">
        <source>%1 graph breaks</source>
        <comment>%1 graph break</comment>
        <translation>
            <numerusform>%1 Bruch im Graphen</numerusform>
            <numerusform>%1 Brüche im Graphen</numerusform>
        </translation>
    </message>
    <message>
        <source>no part of the graph after %1 can be planned, %2</source>
        <translation>kein Teil des Graphen nach %1 lässt sich planen, %2</translation>
    </message>
    <message>
        <source>reduce-overhead and max-autotune run it so, without backward</source>
        <translation>reduce-overhead und max-autotune führen ihn so aus, ohne rückwärts</translation>
    </message>
    <message>
        <source>not in force: %1</source>
        <translation>nicht in Kraft: %1</translation>
    </message>
    <message numerus="yes">
        <source>%2 of %1 parts planned: %3, %4 if every buffer had its own; measured peak %5 instead of %6; %7 allocations a run; %8; %9</source>
        <comment>%2 of %1 part planned: %3, %4 if every buffer had its own; measured peak %5 instead of %6; %7 allocations a run; %8; %9</comment>
        <translation>
            <numerusform>%2 von %1 Teil geplant: %3, %4, wenn jeder Puffer eigenen Speicher hätte; gemessene Spitze %5 statt %6; %7 Belegungen je Lauf; %8; %9</numerusform>
            <numerusform>%2 von %1 Teilen geplant: %3, %4, wenn jeder Puffer eigenen Speicher hätte; gemessene Spitze %5 statt %6; %7 Belegungen je Lauf; %8; %9</numerusform>
        </translation>
    </message>
    <message>
        <source>gradient of %1: %2</source>
        <translation>Gradient von %1: %2</translation>
    </message>
    <message>
        <source>nothing was compared</source>
        <translation>nichts wurde verglichen</translation>
    </message>
    <message>
        <source>first operator that differs on %1: %2: %3</source>
        <translation>erster Operator, der auf %1 abweicht: %2: %3</translation>
    </message>
    <message>
        <source>first operator that differs on %1: %2: %3; %4 more</source>
        <translation>erster Operator, der auf %1 abweicht: %2: %3; %4 weitere</translation>
    </message>
    <message>
        <source>no operator could be computed on %1</source>
        <translation>kein Operator konnte auf %1 berechnet werden</translation>
    </message>
    <message>
        <source>each operator alone gives on %1 what it gives on the CPU: %2 compared</source>
        <translation>jeder Operator für sich ergibt auf %1, was er auf der CPU ergibt: %2 verglichen</translation>
    </message>
    <message>
        <source>each operator alone gives on %1 what it gives on the CPU: %2 compared, %3 of which have no kernel there</source>
        <translation>jeder Operator für sich ergibt auf %1, was er auf der CPU ergibt: %2 verglichen, %3 davon haben dort keinen Kernel</translation>
    </message>
</context>
<context>
    <name>language</name>
    <message>
        <source>en</source>
        <extracomment>Code of the language of this translation, as &quot;de&quot;: dates are written in it.</extracomment>
        <translation>de</translation>
    </message>
</context>
<context>
    <name>loupe::views::AddressMap</name>
    <message>
        <source>Blocks by their addresses</source>
        <translation>Blöcke nach ihren Adressen</translation>
    </message>
    <message>
        <source>made by #%1</source>
        <translation>erzeugt von #%1</translation>
    </message>
    <message>
        <source>saved for backward by #%1</source>
        <translation>für rückwärts behalten von #%1</translation>
    </message>
</context>
<context>
    <name>loupe::views::AliveModel</name>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>Scope</translation>
    </message>
    <message>
        <source>Made by</source>
        <translation>Erzeugt von</translation>
    </message>
    <message>
        <source>Age</source>
        <translation>Alter</translation>
    </message>
    <message>
        <source>Saved by</source>
        <translation>Behalten von</translation>
    </message>
</context>
<context>
    <name>loupe::views::AttentionPicture</name>
    <message>
        <source>Attention weights, by query and key</source>
        <translation>Attention-Gewichte, nach Query und Key</translation>
    </message>
</context>
<context>
    <name>loupe::views::AttentionView</name>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Which tokens attend to which: the weights of one layer and head, a row a query, a column a key. Those of scaled_dot_product_attention are computed from what it was given.</source>
        <translation>Welche Tokens auf welche achten: die Gewichte einer Schicht und eines Heads, eine Zeile je Query, eine Spalte je Key. Die von scaled_dot_product_attention werden aus dem berechnet, was es bekam.</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Where the model attends, in the order of the run</source>
        <translation>Wo das Modell Attention hat, in der Reihenfolge des Laufs</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Head</translation>
    </message>
    <message>
        <source>One head, or the mean of all</source>
        <translation>Ein Head oder das Mittel aller</translation>
    </message>
    <message>
        <source>batch </source>
        <translation>Batch </translation>
    </message>
    <message>
        <source>Of the batch</source>
        <translation>Aus dem Batch</translation>
    </message>
    <message>
        <source>Which example of the batch</source>
        <translation>Welches Beispiel des Batches</translation>
    </message>
    <message>
        <source>#%1</source>
        <translation>#%1</translation>
    </message>
    <message>
        <source>%1: %2, %3×%4</source>
        <translation>%1: %2, %3×%4</translation>
    </message>
    <message>
        <source>Open a model with attention, and run it.</source>
        <translation>Öffnen Sie ein Modell mit Attention und führen Sie es aus.</translation>
    </message>
    <message>
        <source>This run has no attention: no softmax whose result is a factor of a matrix product, and no scaled_dot_product_attention.</source>
        <translation>Dieser Lauf hat keine Attention: keine Softmax, deren Ergebnis Faktor eines Matrixprodukts ist, und kein scaled_dot_product_attention.</translation>
    </message>
    <message>
        <source>Run the model (F5): where it attends is shown here.</source>
        <translation>Führen Sie das Modell aus (F5): Seine Attention wird hier gezeigt.</translation>
    </message>
    <message>
        <source>mean of %1</source>
        <translation>Mittel über %1</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Head %1</translation>
    </message>
    <message>
        <source>computed from query, key and mask</source>
        <translation>berechnet aus Query, Key und Maske</translation>
    </message>
    <message>
        <source>scaled_dot_product_attention does not give its weights: they are computed here, in float32, from the queries, keys and mask that it was given</source>
        <translation>scaled_dot_product_attention liefert seine Gewichte nicht: Sie werden hier in float32 aus den Queries, Keys und der Maske berechnet, die es bekam</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>Bilder (*.png)</translation>
    </message>
    <message>
        <source>Save picture of attention as .png...</source>
        <translation>Bild der Attention als .png speichern...</translation>
    </message>
    <message>
        <source>Copy the attention weights</source>
        <translation>Attention-Gewichte kopieren</translation>
    </message>
</context>
<context>
    <name>loupe::views::BackwardForm</name>
    <message>
        <source>Backward from</source>
        <translation>Rückwärts ab</translation>
    </message>
    <message>
        <source>What backward starts from. A loss can be typed with its arguments: CrossEntropyLoss(label_smoothing=0.1)</source>
        <translation>Womit rückwärts beginnt. Ein Loss lässt sich mit seinen Argumenten eingeben: CrossEntropyLoss(label_smoothing=0.1)</translation>
    </message>
    <message>
        <source>From a file, or the training data</source>
        <translation>Aus einer Datei oder den Trainingsdaten</translation>
    </message>
    <message>
        <source>Labels of the training data</source>
        <translation>Labels der Trainingsdaten</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>Aus einer Datei…</translation>
    </message>
    <message>
        <source>the source&apos;s loss</source>
        <translation>Loss des Quelltexts</translation>
    </message>
    <message>
        <source>sum of outputs</source>
        <translation>Ausgabensumme</translation>
    </message>
    <message>
        <source>mean of outputs</source>
        <translation>Ausgabenmittel</translation>
    </message>
    <message>
        <source>one element of an output</source>
        <translation>ein Element einer Ausgabe</translation>
    </message>
    <message>
        <source>gradients from a file</source>
        <translation>Gradienten aus einer Datei</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>Element</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>target: 3, [1, 7], labels, a file</source>
        <translation>Ziel: 3, [1, 7], labels, eine Datei</translation>
    </message>
    <message>
        <source>out0[0, 3]</source>
        <translation>out0[0, 3]</translation>
    </message>
    <message>
        <source>an .npz with cot0, cot1</source>
        <translation>eine .npz mit cot0, cot1</translation>
    </message>
    <message>
        <source>A value as Python writes it (one number stands for all), `labels` for those of the training data, or a file: targets.npy, data.npz:y</source>
        <translation>Ein Wert, wie Python ihn schreibt (eine Zahl steht für alle), `labels` für die der Trainingsdaten, oder eine Datei: targets.npy, data.npz:y</translation>
    </message>
    <message>
        <source>Output and index: out0[0, 3]</source>
        <translation>Ausgabe und Index: out0[0, 3]</translation>
    </message>
    <message>
        <source>Gradients of the outputs: cot0, cot1, ...</source>
        <translation>Gradienten der Ausgaben: cot0, cot1, ...</translation>
    </message>
    <message>
        <source>takes a target; until then: sum of outputs</source>
        <translation>braucht ein Ziel; bis dahin: Ausgabensumme</translation>
    </message>
    <message>
        <source>Labels of the made-up training data, of its first examples</source>
        <translation>Labels der erfundenen Trainingsdaten, der ersten Beispiele</translation>
    </message>
    <message>
        <source>Labels of the first examples of %1</source>
        <translation>Labels der ersten Beispiele von %1</translation>
    </message>
    <message>
        <source>Gradients of the outputs</source>
        <translation>Gradienten der Ausgaben</translation>
    </message>
    <message>
        <source>Arrays (*.npz)</source>
        <translation>Arrays (*.npz)</translation>
    </message>
    <message>
        <source>Arrays (*.npy *.npz *.pt)</source>
        <translation>Arrays (*.npy *.npz *.pt)</translation>
    </message>
</context>
<context>
    <name>loupe::views::BesidePictures</name>
    <message>
        <source>this run</source>
        <translation>dieser Lauf</translation>
    </message>
    <message>
        <source>Tensor of the reference</source>
        <translation>Tensor der Referenz</translation>
    </message>
    <message>
        <source>Difference from the reference</source>
        <translation>Differenz zur Referenz</translation>
    </message>
    <message>
        <source>difference: %1</source>
        <translation>Differenz: %1</translation>
    </message>
    <message>
        <source>%1 of %2 elements beyond rtol %3, atol %4</source>
        <translation>%1 von %2 Elementen außerhalb von rtol %3, atol %4</translation>
    </message>
    <message>
        <source>%1   reference %2   difference %3</source>
        <translation>%1   Referenz %2   Differenz %3</translation>
    </message>
</context>
<context>
    <name>loupe::views::BisectBar</name>
    <message>
        <source>Relative tolerance</source>
        <translation>Relative Toleranz</translation>
    </message>
    <message>
        <source>Of the greatest element of the tensor, or of 1 where that is greater</source>
        <translation>Vom größten Element des Tensors, oder von 1, wo das größer ist</translation>
    </message>
    <message>
        <source>Absolute tolerance</source>
        <translation>Absolute Toleranz</translation>
    </message>
    <message>
        <source>What elements may differ by in any case</source>
        <translation>Um so viel dürfen Elemente auf jeden Fall abweichen</translation>
    </message>
    <message>
        <source>gradients too</source>
        <translation>auch Gradienten</translation>
    </message>
    <message>
        <source>Also compares the gradients of inputs and parameters; pipelines that freeze have none</source>
        <translation>Vergleicht auch die Gradienten der Eingaben und Parameter; Pipelines, die einfrieren, haben keine</translation>
    </message>
    <message>
        <source>rtol</source>
        <translation>rtol</translation>
    </message>
    <message>
        <source>atol</source>
        <translation>atol</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Find the pass</source>
        <translation>Pass suchen</translation>
    </message>
    <message>
        <source>Ends the search</source>
        <translation>Beendet die Suche</translation>
    </message>
    <message>
        <source>Not now: choose a pipeline first</source>
        <translation>Nicht jetzt: Wählen Sie zuerst eine Pipeline</translation>
    </message>
    <message>
        <source>Runs the graph with more and fewer passes, by halves, until it knows which one changed the result</source>
        <translation>Führt den Graphen mit mehr und weniger Passes aus, durch Halbieren, bis feststeht, welcher das Ergebnis geändert hat</translation>
    </message>
    <message>
        <source>Not now: a run is under way; stop it first</source>
        <translation>Nicht jetzt: Ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>running and comparing…</source>
        <translation>läuft und vergleicht…</translation>
    </message>
    <message>
        <source>running the graph as it is, twice</source>
        <translation>führt den Graphen aus, wie er ist, zweimal</translation>
    </message>
    <message>
        <source>running the first %1, to %2</source>
        <translation>führt die ersten %1 aus, bis %2</translation>
    </message>
    <message>
        <source>first %1: %2</source>
        <translation>die ersten %1: %2</translation>
    </message>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>%1 differs by %2 (relative %3)</source>
        <translation>%1 weicht um %2 ab (relativ %3)</translation>
    </message>
    <message>
        <source>; it is one of passes %1 to %2, at most %3</source>
        <translation>; es ist einer der Passes %1 bis %2, höchstens %3</translation>
    </message>
</context>
<context>
    <name>loupe::views::BreakpointModel</name>
    <message>
        <source>Break at</source>
        <translation>Anhalten bei</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Condition</source>
        <translation>Bedingung</translation>
    </message>
    <message>
        <source>Pass over</source>
        <translation>Übergehen</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>What to stop at; untick to leave it out for now</source>
        <translation>Wobei angehalten wird; ohne Häkchen gilt es vorerst nicht</translation>
    </message>
    <message>
        <source>Only in this phase</source>
        <translation>Nur in dieser Phase</translation>
    </message>
    <message>
        <source>Empty: always.
Over what an operator made there, in the line or what it calls: nan or inf, absmax &gt; 10, bytes &gt; 1MiB, shape[0] == 4, dtype == float16, shape differs; the run stops behind it.
Over variables, at a line of a .py source: i == 1, len(x.shape) &gt; 2; the run stops before the line.
and, or, not and parentheses join them; Ctrl+Space shows words</source>
        <translation>Leer: immer.
Über das, was ein Operator dort erzeugt hat, in der Zeile oder in dem, was sie aufruft: nan or inf, absmax &gt; 10, bytes &gt; 1MiB, shape[0] == 4, dtype == float16, shape differs; der Lauf hält danach an.
Über Variablen, an einer Zeile eines .py-Quelltexts: i == 1, len(x.shape) &gt; 2; der Lauf hält vor der Zeile an.
and, or, not und Klammern verbinden sie; Strg+Leertaste zeigt Wörter</translation>
    </message>
    <message>
        <source>Hits to pass over before stopping</source>
        <translation>Treffer, die vor dem Anhalten übergangen werden</translation>
    </message>
    <message>
        <source>How often it was hit in this run</source>
        <translation>Wie oft er in diesem Lauf getroffen wurde</translation>
    </message>
    <message>
        <source>any</source>
        <translation>jede</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>%1 (not in this graph)</source>
        <translation>%1 (nicht in diesem Graphen)</translation>
    </message>
    <message>
        <source>node %1</source>
        <translation>Knoten %1</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>every %1</source>
        <translation>jedes %1</translation>
    </message>
    <message>
        <source>module %1</source>
        <translation>Modul %1</translation>
    </message>
    <message>
        <source>start of %1</source>
        <translation>Beginn: %1</translation>
    </message>
    <message>
        <source>each phase</source>
        <translation>jede Phase</translation>
    </message>
    <message>
        <source>NaN or Inf appears</source>
        <translation>NaN oder Inf tritt auf</translation>
    </message>
</context>
<context>
    <name>loupe::views::BuildView</name>
    <message>
        <source>Build</source>
        <translation>Bauen</translation>
    </message>
    <message>
        <source>A model from layers: pick them on the left, edit their arguments in the list; what each gives is tried at once. Below is the source, which can be edited too.</source>
        <translation>Ein Modell aus Schichten: Links auswählen, in der Liste ihre Argumente bearbeiten; was jede liefert, wird sofort ausprobiert. Darunter steht der Quelltext, der sich auch bearbeiten lässt.</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>Template…</source>
        <translation>Vorlage…</translation>
    </message>
    <message>
        <source>Open model</source>
        <translation>Modell öffnen</translation>
    </message>
    <message>
        <source>Write the source to a file and open it as the model, to run and train</source>
        <translation>Schreibt den Quelltext in eine Datei und öffnet sie als Modell, zum Ausführen und Trainieren</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Shape of the input, with the batch: 1x3x32x32; token numbers: 1x16:int64</source>
        <translation>Form der Eingabe, mit Batch: 1x3x32x32; Token-Nummern: 1x16:int64</translation>
    </message>
    <message>
        <source>input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Up (Alt+Up)</source>
        <translation>Nach oben (Alt+Auf)</translation>
    </message>
    <message>
        <source>Down (Alt+Down)</source>
        <translation>Nach unten (Alt+Ab)</translation>
    </message>
    <message>
        <source>Remove the layer (Delete)</source>
        <translation>Schicht entfernen (Entf)</translation>
    </message>
    <message>
        <source>Source of the model</source>
        <translation>Quelltext des Modells</translation>
    </message>
    <message>
        <source>Find a layer</source>
        <translation>Schicht suchen</translation>
    </message>
    <message>
        <source>Layers to choose from</source>
        <translation>Verfügbare Schichten</translation>
    </message>
    <message>
        <source>Layers of the model</source>
        <translation>Schichten des Modells</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Gives</source>
        <translation>Liefert</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>source</source>
        <translation>Quelltext</translation>
    </message>
    <message>
        <source>source; a layer from the palette goes where the cursor stands</source>
        <translation>Quelltext; eine Schicht aus der Palette kommt dorthin, wo der Cursor steht</translation>
    </message>
    <message>
        <source>source; it is no single nn.Sequential just now, so the list above stands still</source>
        <translation>Quelltext; er ist gerade kein einzelnes nn.Sequential, darum bleibt die Liste oben stehen</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>
expects %1</source>
        <translation>
erwartet %1</translation>
    </message>
    <message>
        <source>Make it %1=%2</source>
        <translation>%1=%2 daraus machen</translation>
    </message>
    <message>
        <source>input: %1</source>
        <translation>Eingabe: %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: expects %2. %3</source>
        <translation>%1: erwartet %2. %3</translation>
    </message>
    <message>
        <source>choose a template or a layer</source>
        <translation>wählen Sie eine Vorlage oder eine Schicht</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Open the built model</source>
        <translation>Gebautes Modell öffnen</translation>
    </message>
    <message>
        <source>Save its source as…</source>
        <translation>Seinen Quelltext speichern unter…</translation>
    </message>
    <message>
        <source>Save source</source>
        <translation>Quelltext speichern</translation>
    </message>
    <message>
        <source>Model sources (*.py)</source>
        <translation>Modell-Quelltexte (*.py)</translation>
    </message>
    <message>
        <source>Template: %1</source>
        <translation>Vorlage: %1</translation>
    </message>
    <message>
        <source>No model was built here.</source>
        <translation>Hier wurde kein Modell gebaut.</translation>
    </message>
</context>
<context>
    <name>loupe::views::CacheTable</name>
    <message>
        <source>Keys and values by layer</source>
        <translation>Keys und Values je Schicht</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>A token</source>
        <translation>Je Token</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Batch, heads, places, width</source>
        <translation>Batch, Heads, Stellen, Breite</translation>
    </message>
    <message>
        <source>What one token more takes</source>
        <translation>Was ein weiteres Token braucht</translation>
    </message>
    <message>
        <source>Parameters of the layer, to hold its cache against</source>
        <translation>Parameter der Schicht, zum Vergleich mit ihrem Cache</translation>
    </message>
    <message>
        <source>This model keeps no keys and values: each token is a run on all tokens.</source>
        <translation>Dieses Modell behält keine Keys und Values: Jedes Token ist ein Lauf über alle Tokens.</translation>
    </message>
    <message>
        <source>%1 of keys and values: %2, %3 a token</source>
        <translation>%1 Keys und Values: %2, %3 je Token</translation>
    </message>
    <message>
        <source>; %1 when the %2 tokens that it is made for are there</source>
        <translation>; %1, wenn die %2 Tokens da sind, für die er gemacht ist</translation>
    </message>
    <message>
        <source>. %1 of what the encoder gave, made once</source>
        <translation>. %1 vom Encoder, einmal erzeugt</translation>
    </message>
    <message>
        <source>. The layers&apos; weights: %1</source>
        <translation>. Gewichte der Schichten: %1</translation>
    </message>
    <message>
        <source>layer %1, encoder</source>
        <translation>Schicht %1, Encoder</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Shown in the Tensor panel</source>
        <translation>Wird im Panel Tensor gezeigt</translation>
    </message>
    <message>
        <source>Not in the run that is shown: its token is another one</source>
        <translation>Nicht in dem Lauf, der gezeigt wird: Dessen Token ist ein anderes</translation>
    </message>
    <message>
        <source>key</source>
        <translation>Key</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Value</translation>
    </message>
</context>
<context>
    <name>loupe::views::CategoryMemoryModel</name>
    <message>
        <source>sum, without kernel caches</source>
        <translation>Summe, ohne Kernel-Caches</translation>
    </message>
    <message>
        <source>Kept by kernels from run to run; a first run fills it. It is in no sum</source>
        <translation>Von Kerneln von Lauf zu Lauf behalten; ein erster Lauf füllt es. Es ist in keiner Summe enthalten</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>At #%1</source>
        <translation>Bei #%1</translation>
    </message>
    <message>
        <source>At peak #%1</source>
        <translation>Bei Spitze #%1</translation>
    </message>
</context>
<context>
    <name>loupe::views::ChangeDialog</name>
    <message>
        <source>Change a value</source>
        <translation>Einen Wert ändern</translation>
    </message>
    <message>
        <source>%1  %2 %3</source>
        <translation>%1  %2 %3</translation>
    </message>
    <message>
        <source>all of it</source>
        <translation>alles</translation>
    </message>
    <message>
        <source>Which elements</source>
        <translation>Welche Elemente</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>x * 2, zeros, 0.5, x.clamp(min=0), FILE.npy, RUN.loupe</source>
        <translation>x * 2, zeros, 0.5, x.clamp(min=0), DATEI.npy, LAUF.loupe</translation>
    </message>
    <message>
        <source>Of x, what is there now; zeros, ones and mean are like it. A .npy file, or a recorded run, whose value at the same place is put there (activation patching)</source>
        <translation>Aus x, dem jetzigen Inhalt; zeros, ones und mean haben dessen Form. Eine .npy-Datei, oder ein aufgezeichneter Lauf, dessen Wert an derselben Stelle eingesetzt wird (Activation Patching)</translation>
    </message>
    <message>
        <source>What is put there</source>
        <translation>Was eingesetzt wird</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>Datei…</translation>
    </message>
    <message>
        <source>Becomes</source>
        <translation>Wird zu</translation>
    </message>
    <message>
        <source>Change it here</source>
        <translation>Hier ändern</translation>
    </message>
    <message>
        <source>Run again with it</source>
        <translation>Damit erneut ausführen</translation>
    </message>
    <message>
        <source>Arrays and recorded runs (*.npy *.loupe)</source>
        <translation>Arrays und aufgezeichnete Läufe (*.npy *.loupe)</translation>
    </message>
</context>
<context>
    <name>loupe::views::ChangedStacks</name>
    <message>
        <source>Call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>Self A</source>
        <translation>Selbst A</translation>
    </message>
    <message>
        <source>Self B</source>
        <translation>Selbst B</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>Time of the call itself, without what it called</source>
        <translation>Zeit des Aufrufs selbst, ohne das, was er aufrief</translation>
    </message>
</context>
<context>
    <name>loupe::views::CollectiveModel</name>
    <message>
        <source>Collective</source>
        <translation>Kollektivoperation</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Came last</source>
        <translation>Kam zuletzt</translation>
    </message>
    <message>
        <source>Behind</source>
        <translation>Rückstand</translation>
    </message>
    <message>
        <source>Others waited</source>
        <translation>Andere warteten</translation>
    </message>
    <message>
        <source>Click a row to go to the rank that came last, where it launched it</source>
        <translation>Ein Klick auf eine Zeile geht zum Rang, der zuletzt kam, dorthin, wo er sie startete</translation>
    </message>
    <message>
        <source>Where it is launched</source>
        <translation>Wo sie gestartet wird</translation>
    </message>
    <message>
        <source>What a rank gives</source>
        <translation>Was ein Rang gibt</translation>
    </message>
    <message>
        <source>The rank that launched it last</source>
        <translation>Der Rang, der sie zuletzt startete</translation>
    </message>
    <message>
        <source>How long behind the one before it</source>
        <translation>Wie lange nach dem vorigen</translation>
    </message>
    <message>
        <source>All the others together, until the last had come</source>
        <translation>Alle anderen zusammen, bis der letzte da war</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>rank %1: has not come to it</source>
        <translation>Rang %1: ist noch nicht da</translation>
    </message>
    <message>
        <source>rank %1: came after %2, waited %3</source>
        <translation>Rang %1: kam nach %2, wartete %3</translation>
    </message>
</context>
<context>
    <name>loupe::views::CompareView</name>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>This run beside another: pin a run, a recording, a model or a file of activations, and every panel shows the difference. Ctrl+D goes to the first divergence.</source>
        <translation>Dieser Lauf neben einem anderen: Heften Sie einen Lauf, eine Aufzeichnung, ein Modell oder eine Datei mit Aktivierungen an, und jedes Panel zeigt den Unterschied. Strg+D geht zur ersten Abweichung.</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>Dieser Lauf</translation>
    </message>
    <message>
        <source>What is shown now: run again, or open another model, and see what differs</source>
        <translation>Was jetzt gezeigt wird: Führen Sie erneut aus, oder öffnen Sie ein anderes Modell, und sehen Sie, was abweicht</translation>
    </message>
    <message>
        <source>Not now: nothing has run yet</source>
        <translation>Nicht jetzt: Es ist noch nichts gelaufen</translation>
    </message>
    <message>
        <source>A file…</source>
        <translation>Eine Datei…</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Recordings, models, activations</source>
        <translation>Aufzeichnungen, Modelle, Aktivierungen</translation>
    </message>
    <message>
        <source>A recording; another model, which is run on the same inputs; or a .npz of activations by module</source>
        <translation>Eine Aufzeichnung; ein anderes Modell, das mit denselben Eingaben ausgeführt wird; oder eine .npz mit Aktivierungen je Modul</translation>
    </message>
    <message>
        <source>This model, run otherwise</source>
        <translation>Dieses Modell, anders ausgeführt</translation>
    </message>
    <message>
        <source>Once more, as it is</source>
        <translation>Noch einmal, wie es ist</translation>
    </message>
    <message>
        <source>In %1</source>
        <translation>In %1</translation>
    </message>
    <message>
        <source>Pipeline %1</source>
        <translation>Pipeline %1</translation>
    </message>
    <message>
        <source>On %1</source>
        <translation>Auf %1</translation>
    </message>
    <message>
        <source>Unpin all</source>
        <translation>Alle lösen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Pin a run to compare with</source>
        <translation>Einen Lauf zum Vergleichen anheften</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>What panels compare with</source>
        <translation>Womit Panels vergleichen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Do not compare with this one any more</source>
        <translation>Nicht mehr mit diesem vergleichen</translation>
    </message>
    <message>
        <source>First divergence</source>
        <translation>Erste Abweichung</translation>
    </message>
    <message>
        <source>The first event of forward beyond tolerance (Ctrl+D)</source>
        <translation>Das erste Ereignis vorwärts außerhalb der Toleranz (Strg+D)</translation>
    </message>
    <message>
        <source>in backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>The first event of backward beyond tolerance (Ctrl+Shift+D)</source>
        <translation>Das erste Ereignis rückwärts außerhalb der Toleranz (Strg+Umschalt+D)</translation>
    </message>
    <message>
        <source>rtol atol: by dtype</source>
        <translation>rtol atol: je dtype</translation>
    </message>
    <message>
        <source>Relative and absolute tolerance, as in 1e-3 1e-5; empty: torch.testing.assert_close&apos;s for the dtypes</source>
        <translation>Relative und absolute Toleranz, etwa 1e-3 1e-5; leer: die von torch.testing.assert_close für die dtypes</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>Toleranz</translation>
    </message>
    <message>
        <source>Layers by run</source>
        <translation>Schichten je Lauf</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Time and memory</source>
        <translation>Zeit und Speicher</translation>
    </message>
    <message>
        <source>Changed (%1)</source>
        <translation>Geändert (%1)</translation>
    </message>
    <message>
        <source>running the reference…</source>
        <translation>die Referenz läuft…</translation>
    </message>
    <message>
        <source>Run the model (F5): it is compared when the run ends.</source>
        <translation>Führen Sie das Modell aus (F5): Verglichen wird, wenn der Lauf endet.</translation>
    </message>
    <message>
        <source>Nothing is pinned.
Pin &gt; This run keeps what is shown; then run again, or open another model.
Pin &gt; A file takes a recording, a model or a .npz of activations.</source>
        <translation>Nichts ist angeheftet.
Anheften &gt; Dieser Lauf behält, was gezeigt wird; führen Sie dann erneut aus, oder öffnen Sie ein anderes Modell.
Anheften &gt; Eine Datei nimmt eine Aufzeichnung, ein Modell oder eine .npz mit Aktivierungen.</translation>
    </message>
    <message>
        <source>go there</source>
        <translation>dorthin</translation>
    </message>
    <message>
        <source>%1 aligned</source>
        <translation>%1 zugeordnet</translation>
    </message>
    <message>
        <source>%1 differ</source>
        <translation>%1 weichen ab</translation>
    </message>
    <message>
        <source>%1 only here</source>
        <translation>%1 nur hier</translation>
    </message>
    <message>
        <source>%1 only in the reference</source>
        <translation>%1 nur in der Referenz</translation>
    </message>
    <message>
        <source>time %1 against %2</source>
        <translation>Zeit %1 gegen %2</translation>
    </message>
    <message>
        <source>no warm times of both: Run &gt; Time it properly, before pinning</source>
        <translation>nicht beide haben warme Zeiten: Ausführen &gt; Genau messen, vor dem Anheften</translation>
    </message>
    <message>
        <source>peak memory %1 against %2</source>
        <translation>Speicherspitze %1 gegen %2</translation>
    </message>
    <message>
        <source>sources side by side</source>
        <translation>Quelltexte nebeneinander</translation>
    </message>
    <message>
        <source>graphs side by side</source>
        <translation>Graphen nebeneinander</translation>
    </message>
    <message>
        <source>Align with the current event</source>
        <translation>Mit dem aktuellen Ereignis zuordnen</translation>
    </message>
    <message>
        <source>Align with #%1 of this run</source>
        <translation>Mit #%1 dieses Laufs zuordnen</translation>
    </message>
    <message>
        <source>Align with an event of this run next</source>
        <translation>Als Nächstes mit einem Ereignis dieses Laufs zuordnen</translation>
    </message>
    <message>
        <source>Align with #%1 of the reference</source>
        <translation>Mit #%1 der Referenz zuordnen</translation>
    </message>
    <message>
        <source>Align with an event of the reference next</source>
        <translation>Als Nächstes mit einem Ereignis der Referenz zuordnen</translation>
    </message>
    <message>
        <source>These are not the same</source>
        <translation>Diese sind nicht dasselbe</translation>
    </message>
    <message>
        <source>Align modules…</source>
        <translation>Module zuordnen…</translation>
    </message>
    <message>
        <source>Forget what was aligned by hand</source>
        <translation>Zuordnungen von Hand verwerfen</translation>
    </message>
    <message>
        <source>Align modules</source>
        <translation>Module zuordnen</translation>
    </message>
    <message>
        <source>%1, and all in it, is in the reference:</source>
        <translation>%1, und alles darin, heißt in der Referenz:</translation>
    </message>
    <message>
        <source>Only modules with operators of their own</source>
        <translation>Nur Module mit eigenen Operatoren</translation>
    </message>
    <message>
        <source>Save the table as CSV…</source>
        <translation>Tabelle als CSV speichern…</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Tabelle speichern</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
</context>
<context>
    <name>loupe::views::Comparison</name>
    <message>
        <source>mend the alignment</source>
        <translation>Zuordnung berichtigen</translation>
    </message>
    <message>
        <source>no reference: %1</source>
        <translation>keine Referenz: %1</translation>
    </message>
    <message>
        <source>no reference is pinned</source>
        <translation>keine Referenz ist angeheftet</translation>
    </message>
    <message>
        <source>nothing has been compared yet</source>
        <translation>noch wurde nichts verglichen</translation>
    </message>
    <message>
        <source>there is no divergence</source>
        <translation>es gibt keine Abweichung</translation>
    </message>
    <message>
        <source>Δ max</source>
        <translation>Δ max</translation>
    </message>
    <message>
        <source>Δ relative</source>
        <translation>Δ relativ</translation>
    </message>
    <message>
        <source>ULP</source>
        <translation>ULP</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>SNR</source>
        <translation>SNR</translation>
    </message>
    <message>
        <source>Greatest absolute difference from the reference</source>
        <translation>Größte absolute Differenz zur Referenz</translation>
    </message>
    <message>
        <source>Greatest difference relative to the reference&apos;s element; the absolute one where that is 0</source>
        <translation>Größte Differenz relativ zum Element der Referenz; die absolute, wo dieses 0 ist</translation>
    </message>
    <message>
        <source>Most representable numbers between two elements, of the coarser dtype</source>
        <translation>Meiste darstellbare Zahlen zwischen zwei Elementen, im gröberen dtype</translation>
    </message>
    <message>
        <source>Cosine of the angle between both tensors: 1 is the same direction</source>
        <translation>Kosinus des Winkels zwischen beiden Tensoren: 1 ist dieselbe Richtung</translation>
    </message>
    <message>
        <source>Signal to noise: 10 log10 of the reference&apos;s energy to that of the difference, in dB</source>
        <translation>Signal-Rausch-Abstand: 10 log10 der Energie der Referenz zu der der Differenz, in dB</translation>
    </message>
    <message>
        <source>only in this run</source>
        <translation>nur in diesem Lauf</translation>
    </message>
    <message>
        <source>only in the reference</source>
        <translation>nur in der Referenz</translation>
    </message>
    <message>
        <source>not compared</source>
        <translation>nicht verglichen</translation>
    </message>
    <message>
        <source>%1 holds arrays: it has no source</source>
        <translation>%1 enthält Arrays: Es gibt keinen Quelltext</translation>
    </message>
    <message>
        <source>%1 was recorded without its model: no source</source>
        <translation>%1 wurde ohne sein Modell aufgezeichnet: kein Quelltext</translation>
    </message>
    <message>
        <source>%1 has no source in its file</source>
        <translation>%1 hat keinen Quelltext in seiner Datei</translation>
    </message>
    <message>
        <source>%1 holds arrays: it has no graph</source>
        <translation>%1 enthält Arrays: Es gibt keinen Graphen</translation>
    </message>
    <message>
        <source>%1 ran without a graph</source>
        <translation>%1 lief ohne Graphen</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
</context>
<context>
    <name>loupe::views::CompileView</name>
    <message>
        <source>Compile</source>
        <translation>Kompilieren</translation>
    </message>
    <message>
        <source>How a model source becomes a graph: evaluated, scripted or traced, and what a trace does not have of it. How hard the graph is compiled: what each mode chose and measured, and where the graph breaks and why.</source>
        <translation>Wie aus einem Modell-Quelltext ein Graph wird: ausgewertet, geskriptet oder getracet, und was einem Trace davon fehlt. Wie gründlich der Graph kompiliert wird: was jeder Modus gewählt und gemessen hat, und wo und warum der Graph bricht.</translation>
    </message>
    <message>
        <source>Evaluated</source>
        <translation>Ausgewertet</translation>
    </message>
    <message>
        <source>Scripted</source>
        <translation>Geskriptet</translation>
    </message>
    <message>
        <source>Traced</source>
        <translation>Getracet</translation>
    </message>
    <message>
        <source>Check on other inputs</source>
        <translation>Mit anderen Eingaben prüfen</translation>
    </message>
    <message>
        <source>Compile mode</source>
        <translation>Kompiliermodus</translation>
    </message>
    <message>
        <source>Passes and fusion</source>
        <translation>Passes und Fusion</translation>
    </message>
    <message>
        <source>Also planned programs: memory in one block, no allocation in the steady state; on a device its work is captured and launched as one graph</source>
        <translation>Zusätzlich geplante Programme: Speicher in einem Block, keine Belegung im eingeschwungenen Zustand; auf einem Gerät wird die Arbeit aufgezeichnet und als ein Graph gestartet</translation>
    </message>
    <message>
        <source>Captured: a graph of %1 nodes, backward of %2</source>
        <translation>Aufgezeichnet: ein Graph aus %1 Knoten, rückwärts aus %2</translation>
    </message>
    <message>
        <source>Captured: a graph of %1 nodes</source>
        <translation>Aufgezeichnet: ein Graph aus %1 Knoten</translation>
    </message>
    <message>
        <source>The device runs it as one launch. Under the debugger and while a run is recorded each operator runs by itself</source>
        <translation>Das Gerät führt ihn mit einem einzigen Start aus. Unter dem Debugger und bei aufgezeichneten Läufen läuft jeder Operator einzeln</translation>
    </message>
    <message>
        <source>Not captured: %1</source>
        <translation>Nicht aufgezeichnet: %1</translation>
    </message>
    <message>
        <source>Its operators are launched one by one: %1</source>
        <translation>Die Operatoren werden einzeln gestartet: %1</translation>
    </message>
    <message>
        <source>Also measures layouts, fusion and kernels, takes the fastest, and keeps what it found on disk</source>
        <translation>Misst zusätzlich Layouts, Fusion und Kernel, nimmt die schnellsten und bewahrt das Gefundene auf der Platte auf</translation>
    </message>
    <message>
        <source>Compile and time</source>
        <translation>Kompilieren und messen</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>Erneut messen</translation>
    </message>
    <message>
        <source>What compiling came to</source>
        <translation>Was das Kompilieren ergab</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Where, or time</source>
        <translation>Wo, oder Zeit</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>a run is under way; stop it first</source>
        <translation>ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Runs the source statement by statement</source>
        <translation>Führt den Quelltext Anweisung für Anweisung aus</translation>
    </message>
    <message>
        <source>Compiles the source as torch.jit.script does: branches and loops stay what they are</source>
        <translation>Kompiliert den Quelltext wie torch.jit.script: Verzweigungen und Schleifen bleiben, was sie sind</translation>
    </message>
    <message>
        <source>Runs the source once on the inputs as they are, and keeps the operators that ran</source>
        <translation>Führt den Quelltext einmal mit den jetzigen Eingaben aus und behält die Operatoren, die liefen</translation>
    </message>
    <message>
        <source>the methods of this file are script already; only a .py source is scripted or traced</source>
        <translation>die Methoden dieser Datei sind schon Script; nur ein .py-Quelltext wird geskriptet oder getracet</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Nicht jetzt: %1</translation>
    </message>
    <message>
        <source>there is no trace; open a .py source and trace it</source>
        <translation>es gibt keinen Trace; öffnen Sie einen .py-Quelltext und tracen Sie ihn</translation>
    </message>
    <message>
        <source>Runs the trace and the source on other numbers and other sizes, and says what differs</source>
        <translation>Führt Trace und Quelltext mit anderen Zahlen und anderen Größen aus und sagt, was abweicht</translation>
    </message>
    <message>
        <source>Compiles the graph on the inputs as they are, and times a warm run before and after, with backward if Inputs asks for it</source>
        <translation>Kompiliert den Graphen mit den jetzigen Eingaben und misst einen warmen Lauf davor und danach, mit rückwärts, wenn Eingaben es verlangt</translation>
    </message>
    <message>
        <source>Runs the compiled graph under the debugger</source>
        <translation>Führt den kompilierten Graphen im Debugger aus</translation>
    </message>
    <message>
        <source>Forgets what was measured of this graph, and measures it again</source>
        <translation>Vergisst, was von diesem Graphen gemessen wurde, und misst es erneut</translation>
    </message>
    <message>
        <source>compiling and measuring… Stop ends it</source>
        <translation>kompiliert und misst… Stopp beendet es</translation>
    </message>
    <message>
        <source>compiling…</source>
        <translation>kompiliert…</translation>
    </message>
    <message>
        <source>running the trace and the source on other inputs…</source>
        <translation>führt Trace und Quelltext mit anderen Eingaben aus…</translation>
    </message>
    <message>
        <source>Not in the trace: %1</source>
        <translation>Nicht im Trace: %1</translation>
    </message>
    <message>
        <source>What was a number, a branch or a size while tracing stays so on other inputs</source>
        <translation>Was beim Tracen eine Zahl, eine Verzweigung oder eine Größe war, bleibt bei anderen Eingaben so</translation>
    </message>
    <message>
        <source>Trace and source give the same</source>
        <translation>Trace und Quelltext liefern dasselbe</translation>
    </message>
    <message>
        <source>Trace and source differ</source>
        <translation>Trace und Quelltext weichen ab</translation>
    </message>
    <message>
        <source>not taken by the source</source>
        <translation>vom Quelltext nicht genommen</translation>
    </message>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>weicht ab</translation>
    </message>
    <message>
        <source>Could not be compiled</source>
        <translation>Konnte nicht kompiliert werden</translation>
    </message>
    <message>
        <source>A click goes to the line in Source</source>
        <translation>Ein Klick geht zur Zeile in Quelltext</translation>
    </message>
    <message>
        <source>In force: %1</source>
        <translation>In Kraft: %1</translation>
    </message>
    <message>
        <source>Kernels that run: %1; eager %2</source>
        <translation>Laufende Kernel: %1; eager %2</translation>
    </message>
    <message>
        <source>Compiled: %1
Eager: %2
As the graph stands: a loop&apos;s body counts once. Views start no kernel.</source>
        <translation>Kompiliert: %1
Eager: %2
Wie der Graph dasteht: Der Rumpf einer Schleife zählt einmal. Views starten keinen Kernel.</translation>
    </message>
    <message>
        <source>Kernels shows and times the fusion groups of %1</source>
        <translation>Kernel zeigt und misst die Fusionsgruppen von %1</translation>
    </message>
    <message>
        <source>Choose the pipeline there: each group with its expression, code and time</source>
        <translation>Wählen Sie dort die Pipeline: jede Gruppe mit Ausdruck, Code und Zeit</translation>
    </message>
    <message>
        <source>Memory plan draws the planned parts</source>
        <translation>Speicherplan zeichnet die geplanten Teile</translation>
    </message>
    <message>
        <source>Where each buffer lies in the block of its part, over the steps</source>
        <translation>Wo jeder Puffer im Block seines Teils liegt, über die Schritte</translation>
    </message>
    <message>
        <source>Graph breaks: %1</source>
        <translation>Graph-Brüche: %1</translation>
    </message>
    <message>
        <source>What cannot be planned runs by the interpreter, operator by operator</source>
        <translation>Was nicht geplant werden kann, läuft im Interpreter, Operator für Operator</translation>
    </message>
    <message>
        <source>Measured, fastest first%1</source>
        <translation>Gemessen, das Schnellste zuerst%1</translation>
    </message>
    <message>
        <source> (kept from before)</source>
        <translation> (von früher)</translation>
    </message>
    <message>
        <source>Kept in %1</source>
        <translation>Aufbewahrt in %1</translation>
    </message>
    <message>
        <source>Kernels of the planned parts</source>
        <translation>Kernel der geplanten Teile</translation>
    </message>
    <message>
        <source>What runs each step, where it was measured to be faster than the usual choice</source>
        <translation>Was jeden Schritt ausführt, wo es schneller gemessen wurde als die übliche Wahl</translation>
    </message>
    <message>
        <source>usual</source>
        <translation>üblich</translation>
    </message>
    <message>
        <source>%1 by %2</source>
        <translation>%1 durch %2</translation>
    </message>
    <message>
        <source>part %1: %2</source>
        <translation>Teil %1: %2</translation>
    </message>
    <message>
        <source>the usual kernels</source>
        <translation>die üblichen Kernel</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Passes</translation>
    </message>
    <message>
        <source>IR and passes shows them one by one</source>
        <translation>IR und Passes zeigt sie einen nach dem anderen</translation>
    </message>
    <message>
        <source>Choose a mode and compile: what it chose and measured, and where the graph breaks, is listed here</source>
        <translation>Wählen Sie einen Modus und kompilieren Sie: Was er gewählt und gemessen hat, und wo der Graph bricht, wird hier aufgeführt</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>Kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>%1: a run takes %2, eager %3: %4 times as fast; compiled in %5</source>
        <translation>%1: Ein Lauf braucht %2, eager %3: %4-mal so schnell; kompiliert in %5</translation>
    </message>
    <message>
        <source>%1: compiled in %2</source>
        <translation>%1: kompiliert in %2</translation>
    </message>
    <message>
        <source>; not timed: %1</source>
        <translation>; nicht gemessen: %1</translation>
    </message>
    <message>
        <source>Run the compiled graph</source>
        <translation>Kompilierten Graphen ausführen</translation>
    </message>
    <message>
        <source>Check the trace on other inputs</source>
        <translation>Den Trace mit anderen Eingaben prüfen</translation>
    </message>
    <message>
        <source>Show the passes one by one</source>
        <translation>Die Passes einzeln zeigen</translation>
    </message>
    <message>
        <source>Show the kernels of its fusion groups</source>
        <translation>Die Kernel seiner Fusionsgruppen zeigen</translation>
    </message>
</context>
<context>
    <name>loupe::views::ConstructorBar</name>
    <message>
        <source>Class to build</source>
        <translation>Klasse, die gebaut wird</translation>
    </message>
    <message>
        <source>Expression that makes the model</source>
        <translation>Ausdruck, der das Modell erzeugt</translation>
    </message>
    <message>
        <source>What makes the model; it can be edited: Net(10, width=64)</source>
        <translation>Was das Modell erzeugt; es lässt sich bearbeiten: Net(10, width=64)</translation>
    </message>
    <message>
        <source>Build model</source>
        <translation>Modell bauen</translation>
    </message>
    <message>
        <source>The source does not say how its model is built. Give the arguments:</source>
        <translation>Der Quelltext sagt nicht, wie sein Modell gebaut wird. Geben Sie die Argumente an:</translation>
    </message>
    <message>
        <source>Constructor: the arguments are guessed (%1). Others:</source>
        <translation>Konstruktor: Die Argumente sind geraten (%1). Andere:</translation>
    </message>
    <message>
        <source>The source builds its model itself. To build another:</source>
        <translation>Der Quelltext baut sein Modell selbst. Um ein anderes zu bauen:</translation>
    </message>
    <message>
        <source>Built with %1. Other arguments:</source>
        <translation>Gebaut mit %1. Andere Argumente:</translation>
    </message>
    <message>
        <source>must be given</source>
        <translation>muss angegeben werden</translation>
    </message>
    <message>
        <source>Opens the source with this model</source>
        <translation>Öffnet den Quelltext mit diesem Modell</translation>
    </message>
    <message>
        <source>%1 must be given</source>
        <translation>%1 muss angegeben werden</translation>
    </message>
</context>
<context>
    <name>loupe::views::ContinueEdit</name>
    <message>
        <source>continue with an edit</source>
        <translation>mit einer Änderung fortfahren</translation>
    </message>
    <message>
        <source>%1 was changed by another program since the run began: Ctrl+Return writes over it and runs again</source>
        <translation>%1 wurde seit Beginn des Laufs von einem anderen Programm geändert: Strg+Eingabe überschreibt es und führt erneut aus</translation>
    </message>
    <message>
        <source>nothing is edited</source>
        <translation>nichts ist geändert</translation>
    </message>
    <message>
        <source>no run is parked or has failed: Ctrl+Return runs the edit from the start</source>
        <translation>kein Lauf ist angehalten oder fehlgeschlagen: Strg+Eingabe führt die Änderung von Anfang an aus</translation>
    </message>
    <message>
        <source>%1. Ctrl+Return runs it from the start</source>
        <translation>%1. Strg+Eingabe führt sie von Anfang an aus</translation>
    </message>
    <message>
        <source>Continued at #%1</source>
        <translation>Fortgesetzt bei #%1</translation>
    </message>
    <message>
        <source>Continued at #%1, from the start of %2</source>
        <translation>Fortgesetzt bei #%1, ab dem Anfang von %2</translation>
    </message>
    <message>
        <source>: nothing was before it</source>
        <translation>: davor war nichts</translation>
    </message>
    <message>
        <source>: what is before it was run again in %1</source>
        <translation>: was davor liegt, lief erneut in %1</translation>
    </message>
    <message>
        <source>; pinned: %1</source>
        <translation>; angeheftet: %1</translation>
    </message>
</context>
<context>
    <name>loupe::views::DataForm</name>
    <message>
        <source>Kind of data</source>
        <translation>Art der Daten</translation>
    </message>
    <message>
        <source>made up</source>
        <translation>erfunden</translation>
    </message>
    <message>
        <source>Examples around a centre a class, or numbers that the inputs tell: to try things out</source>
        <translation>Beispiele um ein Zentrum je Klasse, oder Zahlen, die sich aus den Eingaben ergeben: zum Ausprobieren</translation>
    </message>
    <message>
        <source>by the file</source>
        <translation>nach der Datei</translation>
    </message>
    <message>
        <source>What it is is seen from the file or folder</source>
        <translation>Was es ist, wird an der Datei oder dem Ordner erkannt</translation>
    </message>
    <message>
        <source>a file or folder</source>
        <translation>eine Datei oder ein Ordner</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>An .npz with inputs and targets, an .npy, a CSV, IDX (MNIST) or CIFAR files, a folder of pictures, a text</source>
        <translation>Eine .npz mit Eingaben und Zielen, eine .npy, eine CSV, IDX- (MNIST) oder CIFAR-Dateien, ein Ordner mit Bildern, ein Text</translation>
    </message>
    <message>
        <source>Choose a file, or a folder</source>
        <translation>Datei oder Ordner wählen</translation>
    </message>
    <message>
        <source>Choose data</source>
        <translation>Daten wählen</translation>
    </message>
    <message>
        <source>as the model&apos;s input</source>
        <translation>wie die Eingabe des Modells</translation>
    </message>
    <message>
        <source>Shape of one example, without the batch: 1x8x8</source>
        <translation>Form eines Beispiels, ohne Batch: 1x8x8</translation>
    </message>
    <message>
        <source>Shape of one example</source>
        <translation>Form eines Beispiels</translation>
    </message>
    <message>
        <source>Of the inputs; int64 are tokens, whose target is the next one when there are no classes</source>
        <translation>Der Eingaben; int64 sind Tokens, deren Ziel das nächste ist, wenn es keine Klassen gibt</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>How many classes made-up examples have; 0: the target is a number</source>
        <translation>Wie viele Klassen erfundene Beispiele haben; 0: das Ziel ist eine Zahl</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>A file…</source>
        <translation>Eine Datei…</translation>
    </message>
    <message>
        <source>A folder…</source>
        <translation>Ein Ordner…</translation>
    </message>
    <message>
        <source>Training data</source>
        <translation>Trainingsdaten</translation>
    </message>
    <message>
        <source>Data (*.npz *.npy *.csv *.bin *ubyte* *.gz *.txt);;All files (*)</source>
        <translation>Daten (*.npz *.npy *.csv *.bin *ubyte* *.gz *.txt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Folder of training data</source>
        <translation>Ordner mit Trainingsdaten</translation>
    </message>
    <message>
        <source>by the file: %1</source>
        <translation>nach der Datei: %1</translation>
    </message>
    <message>
        <source>%1; a sample: %2</source>
        <translation>%1; z. B. %2</translation>
    </message>
</context>
<context>
    <name>loupe::views::DiffPair</name>
    <message>
        <source>Next difference</source>
        <translation>Nächster Unterschied</translation>
    </message>
    <message>
        <source>Previous difference</source>
        <translation>Voriger Unterschied</translation>
    </message>
    <message>
        <source>both are the same but for numbers and places, %1</source>
        <translation>beide sind bis auf Zahlen und Stellen gleich, %1</translation>
    </message>
    <message>
        <source>both are the same, %1</source>
        <translation>beide sind gleich, %1</translation>
    </message>
    <message>
        <source>1 line differs</source>
        <translation>1 Zeile weicht ab</translation>
    </message>
    <message>
        <source>%1 differ</source>
        <translation>%1 weichen ab</translation>
    </message>
</context>
<context>
    <name>loupe::views::DocumentationView</name>
    <message>
        <source>Documentation</source>
        <translation>Dokumentation</translation>
    </message>
    <message>
        <source>What the current operator computes, what its gradient is, what it costs and which kernels it has. F1 on a node opens it; search for any other.</source>
        <translation>Was der aktuelle Operator berechnet, was sein Gradient ist, was er kostet und welche Kernel er hat. F1 auf einem Knoten öffnet sie; suchen Sie nach jedem anderen.</translation>
    </message>
    <message>
        <source>The page before</source>
        <translation>Die Seite davor</translation>
    </message>
    <message>
        <source>Documentation of the operator</source>
        <translation>Dokumentation des Operators</translation>
    </message>
    <message>
        <source>Find an operator</source>
        <translation>Operator suchen</translation>
    </message>
    <message>
        <source>Select an event or a node, or type the name of an operator above.</source>
        <translation>Wählen Sie ein Ereignis oder einen Knoten, oder geben Sie oben den Namen eines Operators ein.</translation>
    </message>
    <message>
        <source>Copy the page as text</source>
        <translation>Seite als Text kopieren</translation>
    </message>
    <message>
        <source>Copy the schema</source>
        <translation>Schema kopieren</translation>
    </message>
</context>
<context>
    <name>loupe::views::DrawingPad</name>
    <message>
        <source>Picture of the input</source>
        <translation>Bild der Eingabe</translation>
    </message>
    <message>
        <source>Draw here and the model runs on it; the right button rubs out</source>
        <translation>Zeichnen Sie hier, und das Modell läuft damit; die rechte Taste radiert</translation>
    </message>
    <message>
        <source>The input as a picture</source>
        <translation>Die Eingabe als Bild</translation>
    </message>
</context>
<context>
    <name>loupe::views::EngineFiles</name>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>it is too long</source>
        <translation>er ist zu lang</translation>
    </message>
    <message>
        <source>Sending %1 to %2</source>
        <translation>Sendet %1 an %2</translation>
    </message>
    <message>
        <source>Bringing %1 from %2</source>
        <translation>Holt %1 von %2</translation>
    </message>
    <message>
        <source>it was cut while it was copied</source>
        <translation>wurde während des Kopierens gekürzt</translation>
    </message>
</context>
<context>
    <name>loupe::views::EventModel</name>
    <message>
        <source>Operator</source>
        <translation>Operator</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Warm</source>
        <translation>Warm</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>Streuung</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>Min</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Max</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Std</source>
        <translation>Std</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>Flags</source>
        <translation>Merkmale</translation>
    </message>
    <message>
        <source>Peer</source>
        <translation>Gegenstück</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>Backend</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Operator, under the module call it ran in; backward events are named after their autograd node</source>
        <translation>Operator, unter dem Modulaufruf, in dem er lief; Ereignisse rückwärts heißen nach ihrem Autograd-Knoten</translation>
    </message>
    <message>
        <source>Number of the event in the run</source>
        <translation>Nummer des Ereignisses im Lauf</translation>
    </message>
    <message>
        <source>Shape of the first output</source>
        <translation>Form der ersten Ausgabe</translation>
    </message>
    <message>
        <source>Time the operator took in this run, without the set-up of its kernel, which is hatched; the bar compares with the longest one</source>
        <translation>Zeit, die der Operator in diesem Lauf brauchte, ohne die Einrichtung seines Kernels, die schraffiert ist; der Balken vergleicht mit dem längsten</translation>
    </message>
    <message>
        <source>Median of warm runs: Run &gt; Time it properly measures it</source>
        <translation>Median warmer Läufe: Ausführen &gt; Genau messen misst ihn</translation>
    </message>
    <message>
        <source>Quartiles of the warm runs: half of them lie between</source>
        <translation>Quartile der warmen Läufe: Die Hälfte liegt dazwischen</translation>
    </message>
    <message>
        <source>Bytes of the first output</source>
        <translation>Bytes der ersten Ausgabe</translation>
    </message>
    <message>
        <source>Least element of the first output</source>
        <translation>Kleinstes Element der ersten Ausgabe</translation>
    </message>
    <message>
        <source>Greatest element of the first output</source>
        <translation>Größtes Element der ersten Ausgabe</translation>
    </message>
    <message>
        <source>Mean of the first output</source>
        <translation>Mittel der ersten Ausgabe</translation>
    </message>
    <message>
        <source>Standard deviation of the first output</source>
        <translation>Standardabweichung der ersten Ausgabe</translation>
    </message>
    <message>
        <source>Magnitudes of the first output&apos;s elements: powers of two from 2^-24 at the left to 2^12 at the right</source>
        <translation>Beträge der Elemente der ersten Ausgabe: Zweierpotenzen von 2^-24 links bis 2^12 rechts</translation>
    </message>
    <message>
        <source>NaN, Inf or an error, and where they come from: made or turned here, passed on, or meant</source>
        <translation>NaN, Inf oder ein Fehler, und woher sie kommen: hier entstanden oder umgeschlagen, weitergereicht, oder gewollt</translation>
    </message>
    <message>
        <source>Backward event of a forward one, and the other way round; click to go there</source>
        <translation>Zum Vorwärtsereignis das Rückwärtsereignis und umgekehrt; ein Klick geht dorthin</translation>
    </message>
    <message>
        <source>Module that the operator ran in</source>
        <translation>Modul, in dem der Operator lief</translation>
    </message>
    <message>
        <source>Which kernel ran</source>
        <translation>Welcher Kernel lief</translation>
    </message>
    <message>
        <source>The first output on each rank, coloured by how far its norm is from the others&apos;; hatched: NaN or Inf; an empty frame: the rank has no such event. Click a cell to go there</source>
        <translation>Die erste Ausgabe auf jedem Rang, gefärbt danach, wie weit ihre Norm von denen der anderen entfernt ist; schraffiert: NaN oder Inf; leerer Rahmen: Der Rang hat kein solches Ereignis. Ein Klick auf eine Zelle geht dorthin</translation>
    </message>
    <message>
        <source>The event of the reference that this one is compared with; ≠ where they differ beyond tolerance</source>
        <translation>Das Ereignis der Referenz, mit dem dieses verglichen wird; ≠, wo sie über die Toleranz hinaus abweichen</translation>
    </message>
    <message>
        <source>only here</source>
        <translation>nur hier</translation>
    </message>
    <message>
        <source>no finite</source>
        <translation>nichts endlich</translation>
    </message>
    <message>
        <source>%1 in this run, and apart from it %2 of set-up</source>
        <translation>%1 in diesem Lauf, und getrennt davon %2 Einrichtung</translation>
    </message>
    <message>
        <source>The first recorded call of its kernel in this process: a later one may take less</source>
        <translation>Der erste aufgezeichnete Aufruf seines Kernels in diesem Prozess: Ein späterer braucht womöglich weniger</translation>
    </message>
    <message>
        <source>With first calls of kernels: later ones may take less</source>
        <translation>Mit ersten Aufrufen von Kerneln: Spätere brauchen womöglich weniger</translation>
    </message>
    <message>
        <source>%1 when it is warm, the median of %2</source>
        <translation>%1, wenn er warm ist, der Median über %2</translation>
    </message>
    <message>
        <source>No warm time: the repeated runs did not have it in its place</source>
        <translation>Keine warme Zeit: Die wiederholten Läufe hatten ihn nicht an seiner Stelle</translation>
    </message>
    <message>
        <source>Not recorded: unticked in Modules</source>
        <translation>Nicht aufgezeichnet: in Module abgewählt</translation>
    </message>
</context>
<context>
    <name>loupe::views::EventsView</name>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Every operator that ran, in order: forward, then backward. Select one and all panels show the world at it. Up and Down walk the events, Left and Right the modules.</source>
        <translation>Jeder Operator, der lief, der Reihe nach: vorwärts, dann rückwärts. Wählen Sie einen, und alle Panels zeigen die Welt bei ihm. Auf und Ab gehen durch die Ereignisse, Links und Rechts durch die Module.</translation>
    </message>
    <message>
        <source>Filter:  op:conv*  time&gt;1ms  made  scope:layer4  phase:backward  !op:relu*</source>
        <translation>Filter:  op:conv*  time&gt;1ms  made  scope:layer4  phase:backward  !op:relu*</translation>
    </message>
    <message>
        <source>Filter of events</source>
        <translation>Filter der Ereignisse</translation>
    </message>
    <message>
        <source>All terms must hold. op: scope: phase: dtype: shape: backend: take * and ?
time bytes memory flops min max mean std absmax norm id compare with &gt; &lt; = and units (1ms, 2MiB)
ranks:differ ranks:missing ranks:nan: between the ranks of a run, rank:2 that rank 2 has too
nan inf failed; made turned passed meant: where a NaN or Inf comes from; !TERM turns a term round; other words are looked for in operator and module</source>
        <translation>Alle Teile müssen zutreffen. op: scope: phase: dtype: shape: backend: nehmen * und ?
time bytes memory flops min max mean std absmax norm id vergleichen mit &gt; &lt; = und Einheiten (1ms, 2MiB)
ranks:differ ranks:missing ranks:nan: zwischen den Rängen eines Laufs, rank:2, was auch Rang 2 hat
nan inf failed; made turned passed meant: woher ein NaN oder Inf kommt; !TEIL kehrt einen Teil um; andere Wörter werden in Operator und Modul gesucht</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Saved filters</source>
        <translation>Gespeicherte Filter</translation>
    </message>
    <message>
        <source>Flat</source>
        <translation>Flach</translation>
    </message>
    <message>
        <source>One list without modules</source>
        <translation>Eine Liste ohne Module</translation>
    </message>
    <message>
        <source>Time it</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>timing…</source>
        <translation>misst…</translation>
    </message>
    <message>
        <source>Time it properly: repeats the run warm and gives each operator the median and the spread. Times of this run are those of a first run</source>
        <translation>Genau messen: wiederholt den Lauf warm und gibt jedem Operator Median und Streuung. Die Zeiten dieses Laufs sind die eines ersten Laufs</translation>
    </message>
    <message>
        <source>%1
Not now: %2</source>
        <translation>%1
Nicht jetzt: %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Parked before the first operator.
F10 runs to the next stop, F11 steps into it.</source>
        <translation>Angehalten vor dem ersten Operator.
F10 läuft bis zum nächsten Halt, F11 geht hinein.</translation>
    </message>
    <message>
        <source>Nothing to run: %1.</source>
        <translation>Nichts auszuführen: %1.</translation>
    </message>
    <message>
        <source>Nothing has run yet.
F5 runs the model, F11 steps into it, F7 runs to backward.</source>
        <translation>Noch ist nichts gelaufen.
F5 führt das Modell aus, F11 geht hinein, F7 läuft bis rückwärts.</translation>
    </message>
    <message>
        <source>No event matches the filter.</source>
        <translation>Kein Ereignis passt zum Filter.</translation>
    </message>
    <message>
        <source>Copy selected rows</source>
        <translation>Ausgewählte Zeilen kopieren</translation>
    </message>
    <message>
        <source>nothing has run yet</source>
        <translation>noch ist nichts gelaufen</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>Als CSV exportieren…</translation>
    </message>
    <message>
        <source>Export as Chrome trace…</source>
        <translation>Als Chrome-Trace exportieren…</translation>
    </message>
    <message>
        <source>Show as tree</source>
        <translation>Als Baum zeigen</translation>
    </message>
    <message>
        <source>Show as flat list</source>
        <translation>Als flache Liste zeigen</translation>
    </message>
    <message>
        <source>Expand all</source>
        <translation>Alles aufklappen</translation>
    </message>
    <message>
        <source>Collapse all</source>
        <translation>Alles zuklappen</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>About #%1, kept with the run</source>
        <translation>Zu #%1, wird mit dem Lauf aufbewahrt</translation>
    </message>
    <message>
        <source>Toggle breakpoint</source>
        <translation>Haltepunkt umschalten</translation>
    </message>
    <message>
        <source>Bookmark</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>Note…</source>
        <translation>Notiz…</translation>
    </message>
    <message>
        <source>Go to the origin of this NaN or Inf (Shift+F6)</source>
        <translation>Zum Ursprung dieses NaN oder Inf gehen (Umschalt+F6)</translation>
    </message>
    <message>
        <source>Explain its NaN or Inf</source>
        <translation>Sein NaN oder Inf erklären</translation>
    </message>
    <message>
        <source>Explain its greatest number</source>
        <translation>Seine größte Zahl erklären</translation>
    </message>
    <message>
        <source>Show its kernel</source>
        <translation>Seinen Kernel zeigen</translation>
    </message>
    <message>
        <source>Break on every %1</source>
        <translation>Bei jedem %1 anhalten</translation>
    </message>
    <message>
        <source>Only %1</source>
        <translation>Nur %1</translation>
    </message>
    <message>
        <source>Only in %1</source>
        <translation>Nur in %1</translation>
    </message>
    <message>
        <source>Save this filter</source>
        <translation>Diesen Filter speichern</translation>
    </message>
    <message>
        <source>Save “%1”</source>
        <translation>„%1“ speichern</translation>
    </message>
    <message>
        <source>Forget “%1”</source>
        <translation>„%1“ vergessen</translation>
    </message>
    <message>
        <source>Export events</source>
        <translation>Ereignisse exportieren</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>Export as Chrome trace</source>
        <translation>Als Chrome-Trace exportieren</translation>
    </message>
    <message>
        <source>Chrome trace (*.json)</source>
        <translation>Chrome-Trace (*.json)</translation>
    </message>
    <message>
        <source>The run was written to %1; ui.perfetto.dev and chrome://tracing open it.</source>
        <translation>Der Lauf wurde nach %1 geschrieben; ui.perfetto.dev und chrome://tracing öffnen ihn.</translation>
    </message>
</context>
<context>
    <name>loupe::views::ExplainView</name>
    <message>
        <source>given</source>
        <translation>gegeben</translation>
    </message>
    <message>
        <source>exact: linear</source>
        <translation>exakt: linear</translation>
    </message>
    <message>
        <source>exact, with its scale held</source>
        <translation>exakt, mit festgehaltener Skalierung</translation>
    </message>
    <message>
        <source>the very element</source>
        <translation>genau dieses Element</translation>
    </message>
    <message>
        <source>by derivative: gradient × element</source>
        <translation>über die Ableitung: Gradient × Element</translation>
    </message>
    <message>
        <source>read, without a derivative</source>
        <translation>gelesen, ohne Ableitung</translation>
    </message>
    <message>
        <source>a random draw</source>
        <translation>zufällig gezogen</translation>
    </message>
    <message>
        <source>gradients added up</source>
        <translation>aufaddierte Gradienten</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>× %1</source>
        <translation>× %1</translation>
    </message>
    <message>
        <source>chosen by %1</source>
        <translation>gewählt von %1</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>Erklären</translation>
    </message>
    <message>
        <source>Where a number comes from: the operator and the elements that made it, with the share of each, back to pixels, tokens and weights; and what an element reaches. Right-click a number in Tensor to ask.</source>
        <translation>Woher eine Zahl kommt: der Operator und die Elemente, die sie ergeben haben, jedes mit seinem Anteil, zurück bis zu Pixeln, Tokens und Gewichten; und was ein Element erreicht. Ein Rechtsklick auf eine Zahl in Tensor fragt danach.</translation>
    </message>
    <message>
        <source>fc.out[0, 3]</source>
        <translation>fc.out[0, 3]</translation>
    </message>
    <message>
        <source>The element to explain</source>
        <translation>Das Element, das erklärt wird</translation>
    </message>
    <message>
        <source>A value and an index of each dimension: out[0, 3], layer1.0.conv1.out[0, 3, 5, 5], fc.weight.grad[3, 0]</source>
        <translation>Ein Wert und ein Index je Dimension: out[0, 3], layer1.0.conv1.out[0, 3, 5, 5], fc.weight.grad[3, 0]</translation>
    </message>
    <message>
        <source>Step by step</source>
        <translation>Schrittweise</translation>
    </message>
    <message>
        <source>The operator that made it; open an element to go on</source>
        <translation>Der Operator, der es erzeugte; öffnen Sie ein Element, um weiterzugehen</translation>
    </message>
    <message>
        <source>To the inputs</source>
        <translation>Bis zu den Eingaben</translation>
    </message>
    <message>
        <source>All the way: how much of the number came from each input, weight and constant</source>
        <translation>Den ganzen Weg: wie viel der Zahl von jeder Eingabe, jedem Gewicht und jeder Konstante kam</translation>
    </message>
    <message>
        <source>What it reaches</source>
        <translation>Was es erreicht</translation>
    </message>
    <message>
        <source>Forward: the elements that depend on it, and how much</source>
        <translation>Vorwärts: die Elemente, die davon abhängen, und wie stark</translation>
    </message>
    <message>
        <source>What the number was made of</source>
        <translation>Woraus die Zahl entstand</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>Element</translation>
    </message>
    <message>
        <source>Coefficient</source>
        <translation>Koeffizient</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source> in %1</source>
        <translation> in %1</translation>
    </message>
    <message>
        <source>Right-click a number in Tensor, or name one above: where it comes from is shown here.</source>
        <translation>Klicken Sie in Tensor mit rechts auf eine Zahl, oder nennen Sie oben eine: Woher sie kommt, wird hier gezeigt.</translation>
    </message>
    <message>
        <source>Run the model (F5): then any number can be asked where it comes from.</source>
        <translation>Führen Sie das Modell aus (F5): Dann lässt sich von jeder Zahl fragen, woher sie kommt.</translation>
    </message>
    <message>
        <source>value %1</source>
        <translation>Wert %1</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>shares %1 + constant %2 + remainder %3 = %4 (%5)</source>
        <translation>Anteile %1 + Konstante %2 + Rest %3 = %4 (%5)</translation>
    </message>
    <message>
        <source>The number itself is %1</source>
        <translation>Die Zahl selbst ist %1</translation>
    </message>
    <message>
        <source>and %1</source>
        <translation>und %1</translation>
    </message>
    <message>
        <source>constant %1: what the operator adds itself</source>
        <translation>Konstante %1: was der Operator selbst hinzufügt</translation>
    </message>
    <message>
        <source>remainder %1: what the derivative does not explain</source>
        <translation>Rest %1: was die Ableitung nicht erklärt</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Explain this one</source>
        <translation>Dieses erklären</translation>
    </message>
    <message>
        <source>What does it reach?</source>
        <translation>Was erreicht es?</translation>
    </message>
    <message>
        <source>Explain the number before</source>
        <translation>Die vorige Zahl erklären</translation>
    </message>
    <message>
        <source>Copy the explanation</source>
        <translation>Erklärung kopieren</translation>
    </message>
</context>
<context>
    <name>loupe::views::FarFileDialog</name>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>Folder on %1</source>
        <translation>Ordner auf %1</translation>
    </message>
    <message>
        <source>The folder; type another one, or the path of a file, and press Enter</source>
        <translation>Der Ordner; geben Sie einen anderen oder den Pfad einer Datei ein, und drücken Sie die Eingabetaste</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>Home</translation>
    </message>
    <message>
        <source>Names that contain…</source>
        <translation>Namen, die enthalten…</translation>
    </message>
    <message>
        <source>Kinds of files</source>
        <translation>Arten von Dateien</translation>
    </message>
    <message>
        <source>Hidden ones too</source>
        <translation>Auch versteckte</translation>
    </message>
    <message>
        <source>Save there</source>
        <translation>Dort speichern</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>Wählen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Save on this computer…</source>
        <translation>Auf diesem Rechner speichern…</translation>
    </message>
    <message>
        <source>It is written on %1 first, and then brought here</source>
        <translation>Zuerst wird es auf %1 geschrieben, dann hierher geholt</translation>
    </message>
    <message>
        <source>Files on %1</source>
        <translation>Dateien auf %1</translation>
    </message>
    <message>
        <source>Name of the file</source>
        <translation>Name der Datei</translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation>Fragt %1…</translation>
    </message>
    <message>
        <source> The connection is lost: %1</source>
        <translation> Die Verbindung ist verloren: %1</translation>
    </message>
    <message>
        <source>Nothing here matches</source>
        <translation>Nichts hier passt</translation>
    </message>
    <message>
        <source>%1 is on %2 already. Replace it?</source>
        <translation>%1 gibt es auf %2 schon. Ersetzen?</translation>
    </message>
</context>
<context>
    <name>loupe::views::FarFolderModel</name>
    <message>
        <source>a link that leads nowhere</source>
        <translation>ein Verweis, der ins Leere führt</translation>
    </message>
    <message>
        <source>you may not read it</source>
        <translation>Sie dürfen es nicht lesen</translation>
    </message>
    <message>
        <source>no file</source>
        <translation>keine Datei</translation>
    </message>
    <message>
        <source>a link</source>
        <translation>ein Verweis</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
</context>
<context>
    <name>loupe::views::FlameCanvas</name>
    <message>
        <source>Flame graph</source>
        <translation>Flame-Graph</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>  only in B</source>
        <translation>  nur in B</translation>
    </message>
    <message>
        <source>  only in A</source>
        <translation>  nur in A</translation>
    </message>
    <message>
        <source>%1: not there</source>
        <translation>%1: nicht vorhanden</translation>
    </message>
    <message>
        <source>%1: %2 in %3, %4 of it its own</source>
        <translation>%1: %2 in %3, davon %4 selbst</translation>
    </message>
    <message>
        <source>B − A: %1%2</source>
        <translation>B − A: %1%2</translation>
    </message>
    <message>
        <source>%1 in %2, %3 of it its own</source>
        <translation>%1 in %2, davon %3 selbst</translation>
    </message>
</context>
<context>
    <name>loupe::views::GenerationView</name>
    <message>
        <source>Generation</source>
        <translation>Generierung</translation>
    </message>
    <message>
        <source>Text made token by token: what each token was chosen from, and the keys and values that the layers keep. Each token is a run that can be stepped through; a double click shows it again.</source>
        <translation>Text, Token für Token erzeugt: woraus jedes Token gewählt wurde, und die Keys und Values, die die Schichten behalten. Jedes Token ist ein Lauf, durch den man schrittweise gehen kann; ein Doppelklick zeigt ihn wieder.</translation>
    </message>
    <message>
        <source>Next token</source>
        <translation>Nächstes Token</translation>
    </message>
    <message>
        <source>Step into it</source>
        <translation>Hineingehen</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>Generieren</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Tokens</translation>
    </message>
    <message>
        <source>How many tokens</source>
        <translation>Wie viele Tokens</translation>
    </message>
    <message>
        <source>Begin again</source>
        <translation>Neu beginnen</translation>
    </message>
    <message>
        <source>Forget the tokens that were made</source>
        <translation>Die erzeugten Tokens vergessen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Stop; the tokens that came stay</source>
        <translation>Stopp; die gekommenen Tokens bleiben</translation>
    </message>
    <message>
        <source>The text</source>
        <translation>Der Text</translation>
    </message>
    <message>
        <source>Tokens that were made</source>
        <translation>Erzeugte Tokens</translation>
    </message>
    <message>
        <source>What the token was chosen from</source>
        <translation>Woraus das Token gewählt wurde</translation>
    </message>
    <message>
        <source>Chosen from</source>
        <translation>Gewählt aus</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>This model makes no text: %1.</source>
        <translation>Dieses Modell erzeugt keinen Text: %1.</translation>
    </message>
    <message>
        <source>This model gives no scores of the next token.</source>
        <translation>Dieses Modell liefert keine Scores des nächsten Tokens.</translation>
    </message>
    <message>
        <source>Not now: this model makes no text</source>
        <translation>Nicht jetzt: Dieses Modell erzeugt keinen Text</translation>
    </message>
    <message>
        <source>Not now: type a text in the panel Text first</source>
        <translation>Nicht jetzt: Geben Sie zuerst einen Text im Panel Text ein</translation>
    </message>
    <message>
        <source>Not now: a run is under way; stop it first</source>
        <translation>Nicht jetzt: Ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Not now: the text has ended; begin again</source>
        <translation>Nicht jetzt: Der Text ist zu Ende; beginnen Sie neu</translation>
    </message>
    <message>
        <source>Run the model once: it gives one token</source>
        <translation>Führt das Modell einmal aus: Das ergibt ein Token</translation>
    </message>
    <message>
        <source>Begin the run that gives the next token, and stop before its first operator: F10 and F11 go on, F5 finishes the token</source>
        <translation>Beginnt den Lauf, der das nächste Token ergibt, und hält vor seinem ersten Operator: F10 und F11 gehen weiter, F5 beendet das Token</translation>
    </message>
    <message>
        <source>So many tokens, or until the text ends; the run of the last is shown</source>
        <translation>So viele Tokens, oder bis der Text endet; der Lauf des letzten wird gezeigt</translation>
    </message>
    <message>
        <source>%1; the text has ended</source>
        <translation>%1; der Text ist zu Ende</translation>
    </message>
    <message>
        <source>Inside a run: F10 and F11 go on, F5 finishes it</source>
        <translation>Innerhalb eines Laufs: F10 und F11 gehen weiter, F5 beendet ihn</translation>
    </message>
    <message>
        <source>The prompt or the settings are others now: the next token begins anew</source>
        <translation>Prompt oder Einstellungen sind jetzt andere: Das nächste Token beginnt von vorn</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>Type a text in the panel Text</source>
        <translation>Geben Sie einen Text im Panel Text ein</translation>
    </message>
    <message>
        <source>Open a language model: a Hugging Face folder with config.json, weights and tokenizer.json.</source>
        <translation>Öffnen Sie ein Sprachmodell: einen Hugging-Face-Ordner mit config.json, Gewichten und tokenizer.json.</translation>
    </message>
    <message>
        <source>A recorded run makes no text; run its model again.</source>
        <translation>Ein aufgezeichneter Lauf erzeugt keinen Text; führen Sie sein Modell erneut aus.</translation>
    </message>
    <message>
        <source>Generate the next token</source>
        <translation>Nächstes Token generieren</translation>
    </message>
    <message>
        <source>Copy the generated text</source>
        <translation>Generierten Text kopieren</translation>
    </message>
</context>
<context>
    <name>loupe::views::GradientFlowView</name>
    <message>
        <source>Gradient flow</source>
        <translation>Gradientenfluss</translation>
    </message>
    <message>
        <source>The gradients of every parameter after a backward pass, from the first layer to the last, and what is wrong with them. Click a bar to look at that gradient, double click opens and closes a module.</source>
        <translation>Die Gradienten aller Parameter nach einem Rückwärtsdurchlauf, von der ersten Schicht bis zur letzten, und was an ihnen nicht stimmt. Ein Klick auf einen Balken zeigt den Gradienten, ein Doppelklick öffnet und schließt ein Modul.</translation>
    </message>
    <message>
        <source>mean and max |gradient|</source>
        <translation>Mittel und max |Gradient|</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>norm / weight norm</source>
        <translation>Norm / Norm der Gewichte</translation>
    </message>
    <message>
        <source>fraction of zeros</source>
        <translation>Anteil der Nullen</translation>
    </message>
    <message>
        <source>mean |gradient| over runs</source>
        <translation>Mittel |Gradient| über Läufe</translation>
    </message>
    <message>
        <source>norm over steps of the training</source>
        <translation>Norm über Schritte des Trainings</translation>
    </message>
    <message>
        <source>norm by rank</source>
        <translation>Norm je Rang</translation>
    </message>
    <message>
        <source>mean |gradient| by rank</source>
        <translation>Mittel |Gradient| je Rang</translation>
    </message>
    <message>
        <source>NaN and Inf by rank</source>
        <translation>NaN und Inf je Rang</translation>
    </message>
    <message>
        <source>What the bars show</source>
        <translation>Was die Balken zeigen</translation>
    </message>
    <message>
        <source>Measure of the gradients</source>
        <translation>Maß der Gradienten</translation>
    </message>
    <message>
        <source>Group: as room allows</source>
        <translation>Gruppen: soweit Platz ist</translation>
    </message>
    <message>
        <source>Group: top modules</source>
        <translation>Gruppen: oberste Module</translation>
    </message>
    <message>
        <source>Group: every module</source>
        <translation>Gruppen: jedes Modul</translation>
    </message>
    <message>
        <source>Group: none</source>
        <translation>Gruppen: keine</translation>
    </message>
    <message>
        <source>Which parameters are added up in one bar; double click on a bar opens a module or closes it again</source>
        <translation>Welche Parameter in einem Balken zusammengefasst sind; ein Doppelklick auf einen Balken öffnet ein Modul oder schließt es wieder</translation>
    </message>
    <message>
        <source>Grouping of the parameters</source>
        <translation>Gruppierung der Parameter</translation>
    </message>
    <message>
        <source>Find a parameter (Ctrl+F)</source>
        <translation>Parameter suchen (Strg+F)</translation>
    </message>
    <message>
        <source>Find a parameter</source>
        <translation>Parameter suchen</translation>
    </message>
    <message>
        <source>What backward started from; click to choose it in Inputs</source>
        <translation>Womit rückwärts begann; ein Klick wählt es in Eingaben</translation>
    </message>
    <message>
        <source>Gradients by parameter</source>
        <translation>Gradienten je Parameter</translation>
    </message>
    <message>
        <source>Health of the gradients</source>
        <translation>Gesundheit der Gradienten</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>NaN and Inf</source>
        <translation>NaN und Inf</translation>
    </message>
    <message>
        <source>%1 together; double click opens</source>
        <translation>%1 zusammen; Doppelklick öffnet</translation>
    </message>
    <message>
        <source>&lt;br&gt;&lt;b&gt;%1&lt;/b&gt;: %2 NaN, %3 Inf</source>
        <translation>&lt;br&gt;&lt;b&gt;%1&lt;/b&gt;: %2 NaN, %3 Inf</translation>
    </message>
    <message>
        <source>&lt;br&gt;mean %1, max %2&lt;br&gt;norm %3</source>
        <translation>&lt;br&gt;Mittel %1, max %2&lt;br&gt;Norm %3</translation>
    </message>
    <message>
        <source>, weights %1</source>
        <translation>, Gewichte %1</translation>
    </message>
    <message>
        <source>&lt;br&gt;zeros %1 %</source>
        <translation>&lt;br&gt;Nullen %1 %</translation>
    </message>
    <message>
        <source>&lt;br&gt;no gradient</source>
        <translation>&lt;br&gt;kein Gradient</translation>
    </message>
    <message>
        <source>Save gradient plot or data...</source>
        <translation>Gradientendiagramm oder Daten speichern...</translation>
    </message>
    <message>
        <source>Read gradients again</source>
        <translation>Gradienten erneut lesen</translation>
    </message>
    <message>
        <source>Explain the gradient that is selected</source>
        <translation>Den ausgewählten Gradienten erklären</translation>
    </message>
    <message>
        <source>Backward from</source>
        <translation>Rückwärts ab</translation>
    </message>
    <message>
        <source>No gradients yet.
Tick Backward in the Inputs panel and run (F5), or run to backward (F7).</source>
        <translation>Noch keine Gradienten.
Haken Sie im Panel Eingaben Rückwärts an und führen Sie aus (F5), oder laufen Sie bis rückwärts (F7).</translation>
    </message>
    <message>
        <source>%1 found; </source>
        <translation>%1 gefunden; </translation>
    </message>
    <message>
        <source>norm of all %1</source>
        <translation>Norm aller %1</translation>
    </message>
    <message>
        <source>no finite values</source>
        <translation>keine endlichen Werte</translation>
    </message>
    <message>
        <source>norm of the finite %1: %2</source>
        <translation>Norm der endlichen %1: %2</translation>
    </message>
    <message>
        <source>%1 of %2 %3 gradients, %4</source>
        <translation>%2, davon %3 %1 Gradienten, %4</translation>
    </message>
    <message>
        <source>has</source>
        <translation>hat</translation>
    </message>
    <message>
        <source>have</source>
        <translation>haben</translation>
    </message>
    <message>
        <source>Healthy in %1: no NaN or Inf, the layers are of one scale, every parameter is used.</source>
        <translation>Gesund in %1: kein NaN oder Inf, die Schichten sind von einer Größenordnung, jeder Parameter wird benutzt.</translation>
    </message>
    <message>
        <source>the one step looked at</source>
        <translation>dem einen betrachteten Schritt</translation>
    </message>
    <message>
        <source>all %1 steps looked at</source>
        <translation>allen %1 betrachteten Schritten</translation>
    </message>
    <message>
        <source>Healthy: no NaN or Inf, nothing vanishes or explodes, every parameter is used.</source>
        <translation>Gesund: kein NaN oder Inf, nichts verschwindet oder explodiert, jeder Parameter wird benutzt.</translation>
    </message>
    <message>
        <source>No NaN or Inf, the layers are of one scale, every parameter is used.</source>
        <translation>Kein NaN oder Inf, die Schichten sind von einer Größenordnung, jeder Parameter wird benutzt.</translation>
    </message>
    <message>
        <source>%1. Choose one in Inputs…</source>
        <translation>%1. In Eingaben wählen…</translation>
    </message>
    <message>
        <source>A row a rank, dark to bright by magnitude, red: NaN or Inf; click a cell to go there</source>
        <translation>Eine Zeile je Rang, dunkel bis hell nach Betrag, rot: NaN oder Inf; ein Klick auf eine Zelle geht dorthin</translation>
    </message>
    <message>
        <source>rank %1 has other parameters</source>
        <translation>Rang %1 hat andere Parameter</translation>
    </message>
    <message>
        <source>&lt;b&gt;rank %1&lt;/b&gt;&lt;br&gt;%2</source>
        <translation>&lt;b&gt;Rang %1&lt;/b&gt;&lt;br&gt;%2</translation>
    </message>
    <message>
        <source>&lt;br&gt;%1 NaN, %2 Inf</source>
        <translation>&lt;br&gt;%1 NaN, %2 Inf</translation>
    </message>
    <message>
        <source>&lt;br&gt;norm %1, mean %2</source>
        <translation>&lt;br&gt;Norm %1, Mittel %2</translation>
    </message>
    <message>
        <source>norms at every step, %1 of them upwards</source>
        <translation>Normen bei jedem Schritt, %1 davon, nach oben</translation>
    </message>
    <message>
        <source>norms at all %1 steps upwards, of each parameter the greatest in a row</source>
        <translation>Normen bei allen %1 Schritten nach oben, von jedem Parameter die größte in einer Zeile</translation>
    </message>
    <message>
        <source>%1 upwards; dark %2, bright %3</source>
        <translation>%1 nach oben; dunkel %2, hell %3</translation>
    </message>
    <message>
        <source>Nothing was trained yet: train the model in the Train panel</source>
        <translation>Noch wurde nichts trainiert: Trainieren Sie das Modell im Panel Training</translation>
    </message>
    <message>
        <source>One run so far: run backward again, with other inputs or modes, to compare</source>
        <translation>Bisher ein Lauf: Führen Sie rückwärts erneut aus, mit anderen Eingaben oder Modi, um zu vergleichen</translation>
    </message>
    <message>
        <source>%1 runs upwards; dark %2, bright %3</source>
        <translation>%1 Läufe nach oben; dunkel %2, hell %3</translation>
    </message>
    <message>
        <source>max</source>
        <translation>max</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
</context>
<context>
    <name>loupe::views::GraphCanvas</name>
    <message>
        <source>Graph of the model</source>
        <translation>Graph des Modells</translation>
    </message>
    <message>
        <source>only in the reference</source>
        <translation>nur in der Referenz</translation>
    </message>
    <message>
        <source>%1 in it only in the reference</source>
        <translation>darin nur in der Referenz: %1</translation>
    </message>
    <message>
        <source>%1, %2 made there</source>
        <translation>%1, dort %2 erzeugt</translation>
    </message>
    <message>
        <source>%1, in brackets: tokens</source>
        <translation>%1, in Klammern: Tokens</translation>
    </message>
    <message>
        <source>%1, %2 made</source>
        <translation>%1, %2 erzeugt</translation>
    </message>
    <message>
        <source>output |max| %1</source>
        <translation>Ausgabe |max| %1</translation>
    </message>
    <message>
        <source>gradient |max| %1</source>
        <translation>Gradient |max| %1</translation>
    </message>
    <message>
        <source>&lt;b&gt;NaN or Inf in an output:&lt;/b&gt; %1</source>
        <translation>&lt;b&gt;NaN oder Inf in einer Ausgabe:&lt;/b&gt; %1</translation>
    </message>
    <message>
        <source>&lt;b&gt;failed:&lt;/b&gt; %1</source>
        <translation>&lt;b&gt;fehlgeschlagen:&lt;/b&gt; %1</translation>
    </message>
    <message>
        <source>stands for %1 that are built alike, one behind the other</source>
        <translation>steht für %1 gleich gebaute hintereinander</translation>
    </message>
    <message>
        <source>Input %1</source>
        <translation>Eingabe %1</translation>
    </message>
    <message>
        <source>Output of the model</source>
        <translation>Ausgabe des Modells</translation>
    </message>
    <message>
        <source>double click comes closer</source>
        <translation>Doppelklick kommt näher</translation>
    </message>
    <message>
        <source>double click closes</source>
        <translation>Doppelklick schließt</translation>
    </message>
    <message>
        <source>double click opens</source>
        <translation>Doppelklick öffnet</translation>
    </message>
    <message>
        <source>there is no graph to export</source>
        <translation>es gibt keinen Graphen zum Exportieren</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>the picture is too large</source>
        <translation>das Bild ist zu groß</translation>
    </message>
    <message>
        <source>cannot write %1: the name must end in .svg, .png or .pdf</source>
        <translation>%1 kann nicht geschrieben werden: Der Name muss auf .svg, .png oder .pdf enden</translation>
    </message>
</context>
<context>
    <name>loupe::views::GraphColours</name>
    <message>
        <source>, median of warm runs</source>
        <translation>, Median warmer Läufe</translation>
    </message>
    <message>
        <source> of a first run (Run &gt; Time it properly)</source>
        <translation> eines ersten Laufs (Ausführen &gt; Genau messen)</translation>
    </message>
    <message>
        <source>only in this run</source>
        <translation>nur in diesem Lauf</translation>
    </message>
    <message>
        <source>added</source>
        <translation>hinzugefügt</translation>
    </message>
    <message>
        <source>another operator in the reference</source>
        <translation>anderer Operator in der Referenz</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>only in the reference</source>
        <translation>nur in der Referenz</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>bytes made</source>
        <translation>erzeugte Bytes</translation>
    </message>
    <message>
        <source>greatest activation</source>
        <translation>größte Aktivierung</translation>
    </message>
    <message>
        <source>greatest gradient</source>
        <translation>größter Gradient</translation>
    </message>
    <message>
        <source>difference from the reference, relative (RMS)</source>
        <translation>Differenz zur Referenz, relativ (RMS)</translation>
    </message>
    <message>
        <source>All that was compared is equal</source>
        <translation>Alles Verglichene ist gleich</translation>
    </message>
    <message>
        <source>Nothing is compared yet: pin a reference (Compare) and run</source>
        <translation>Noch ist nichts verglichen: Heften Sie eine Referenz an (Vergleich) und führen Sie aus</translation>
    </message>
    <message>
        <source>Nothing recorded yet: run the model (F5)</source>
        <translation>Noch nichts aufgezeichnet: Führen Sie das Modell aus (F5)</translation>
    </message>
    <message>
        <source>, logarithmic</source>
        <translation>, logarithmisch</translation>
    </message>
    <message>
        <source>equal</source>
        <translation>gleich</translation>
    </message>
</context>
<context>
    <name>loupe::views::GraphPane</name>
    <message>
        <source>Graph of a pass: layout</source>
        <translation>Graph eines Passes: Layout</translation>
    </message>
</context>
<context>
    <name>loupe::views::GraphView</name>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>The model as boxes of modules and operators, values flowing from top to bottom. Double click opens and closes a group; the wheel zooms; Up and Down follow a value to its maker and its users.</source>
        <translation>Das Modell als Kästen von Modulen und Operatoren, Werte fließen von oben nach unten. Ein Doppelklick öffnet und schließt eine Gruppe; das Mausrad zoomt; Auf und Ab folgen einem Wert zu seinem Erzeuger und seinen Verbrauchern.</translation>
    </message>
    <message>
        <source>laying out…</source>
        <translation>ordnet an…</translation>
    </message>
    <message>
        <source>Colouring of the graph</source>
        <translation>Färbung des Graphen</translation>
    </message>
    <message>
        <source>What the colours of the boxes say</source>
        <translation>Was die Farben der Kästen sagen</translation>
    </message>
    <message>
        <source>Colour: kind</source>
        <translation>Farbe: Art</translation>
    </message>
    <message>
        <source>Colour: time</source>
        <translation>Farbe: Zeit</translation>
    </message>
    <message>
        <source>Colour: memory</source>
        <translation>Farbe: Speicher</translation>
    </message>
    <message>
        <source>Colour: activation</source>
        <translation>Farbe: Aktivierung</translation>
    </message>
    <message>
        <source>Colour: gradient</source>
        <translation>Farbe: Gradient</translation>
    </message>
    <message>
        <source>Colour: difference</source>
        <translation>Farbe: Differenz</translation>
    </message>
    <message>
        <source>Find (Ctrl+F)</source>
        <translation>Suchen (Strg+F)</translation>
    </message>
    <message>
        <source>Find in the graph</source>
        <translation>Im Graphen suchen</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Fit the graph</source>
        <translation>Graph einpassen</translation>
    </message>
    <message>
        <source>Show all of the graph (Space)</source>
        <translation>Den ganzen Graphen zeigen (Leertaste)</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom in (Ctrl++)</source>
        <translation>Vergrößern (Strg++)</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Zoom out (Ctrl+-)</source>
        <translation>Verkleinern (Strg+-)</translation>
    </message>
    <message>
        <source>Open all</source>
        <translation>Alle öffnen</translation>
    </message>
    <message>
        <source>Open all groups</source>
        <translation>Alle Gruppen öffnen</translation>
    </message>
    <message>
        <source>Open every group</source>
        <translation>Jede Gruppe öffnen</translation>
    </message>
    <message>
        <source>Close all</source>
        <translation>Alle schließen</translation>
    </message>
    <message>
        <source>Close all groups</source>
        <translation>Alle Gruppen schließen</translation>
    </message>
    <message>
        <source>Close every group</source>
        <translation>Jede Gruppe schließen</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>Map of the modules</source>
        <translation>Karte der Module</translation>
    </message>
    <message>
        <source>Modules as tiles, whose areas are shares of time, memory or operators (right click)</source>
        <translation>Module als Kacheln, deren Flächen Anteile an Zeit, Speicher oder Operatoren sind (Rechtsklick)</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Follow the current event</source>
        <translation>Dem aktuellen Ereignis folgen</translation>
    </message>
    <message>
        <source>Scroll to the node of the current event</source>
        <translation>Zum Knoten des aktuellen Ereignisses scrollen</translation>
    </message>
    <message>
        <source>Plumbing</source>
        <translation>Beiwerk</translation>
    </message>
    <message>
        <source>Show plumbing</source>
        <translation>Beiwerk zeigen</translation>
    </message>
    <message>
        <source>Show constants, lists, sizes and other nodes that make no tensor</source>
        <translation>Konstanten, Listen, Größen und andere Knoten zeigen, die keinen Tensor erzeugen</translation>
    </message>
    <message>
        <source>Only there</source>
        <translation>Nur dort</translation>
    </message>
    <message>
        <source>Show what only the reference has</source>
        <translation>Zeigen, was nur die Referenz hat</translation>
    </message>
    <message>
        <source>Also draw what only the reference has, dotted, where it would stand</source>
        <translation>Zeichnet gepunktet auch, was nur die Referenz hat, dort wo es stünde</translation>
    </message>
    <message>
        <source>Areas of tiles</source>
        <translation>Flächen der Kacheln</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>Operatoren</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Memory made in forward</source>
        <translation>Vorwärts erzeugter Speicher</translation>
    </message>
    <message>
        <source>This model has no graph.</source>
        <translation>Dieses Modell hat keinen Graphen.</translation>
    </message>
    <message>
        <source>No model is open.</source>
        <translation>Kein Modell ist geöffnet.</translation>
    </message>
    <message>
        <source>Graph: layout</source>
        <translation>Graph: Layout</translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation>%1 gefunden</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>no value goes from one to the other</source>
        <translation>kein Wert gelangt von einem zum anderen</translation>
    </message>
    <message>
        <source>%1 on the ways between them; Esc shows all</source>
        <translation>%1 auf den Wegen dazwischen; Esc zeigt alle</translation>
    </message>
    <message>
        <source>Highlight</source>
        <translation>Hervorheben</translation>
    </message>
    <message>
        <source>What it depends on</source>
        <translation>Wovon es abhängt</translation>
    </message>
    <message>
        <source>What depends on it</source>
        <translation>Was davon abhängt</translation>
    </message>
    <message>
        <source>Ways from the current one	Shift+Click</source>
        <translation>Wege vom aktuellen	Umschalt+Klick</translation>
    </message>
    <message>
        <source>Everything	Esc</source>
        <translation>Alles	Esc</translation>
    </message>
    <message>
        <source>Close group	-</source>
        <translation>Gruppe schließen	-</translation>
    </message>
    <message>
        <source>Open group	+</source>
        <translation>Gruppe öffnen	+</translation>
    </message>
    <message>
        <source>Toggle breakpoint	F9</source>
        <translation>Haltepunkt umschalten	F9</translation>
    </message>
    <message>
        <source>Go to the origin of this NaN or Inf	Shift+F6</source>
        <translation>Zum Ursprung dieses NaN oder Inf gehen	Umschalt+F6</translation>
    </message>
    <message>
        <source>Run to here	Ctrl+F10</source>
        <translation>Bis hierher ausführen	Strg+F10</translation>
    </message>
    <message>
        <source>Producers</source>
        <translation>Erzeuger</translation>
    </message>
    <message>
        <source>Consumers</source>
        <translation>Verbraucher</translation>
    </message>
    <message>
        <source>Show its kernel</source>
        <translation>Seinen Kernel zeigen</translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>Namen kopieren</translation>
    </message>
    <message>
        <source>Fit graph	Space</source>
        <translation>Graph einpassen	Leertaste</translation>
    </message>
    <message>
        <source>Go to node of current event</source>
        <translation>Zum Knoten des aktuellen Ereignisses</translation>
    </message>
    <message>
        <source>Export graph as SVG, PNG or PDF...</source>
        <translation>Graph als SVG, PNG oder PDF exportieren...</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Export graph</source>
        <translation>Graph exportieren</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png *.pdf)</source>
        <translation>Bilder (*.svg *.png *.pdf)</translation>
    </message>
    <message>
        <source>Show the reference&apos;s value</source>
        <translation>Den Wert der Referenz zeigen</translation>
    </message>
</context>
<context>
    <name>loupe::views::HeadTiles</name>
    <message>
        <source>All heads</source>
        <translation>Alle Heads</translation>
    </message>
    <message>
        <source>head %1; a click shows the mean of all</source>
        <translation>Head %1; ein Klick zeigt das Mittel aller</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Head %1</translation>
    </message>
</context>
<context>
    <name>loupe::views::HolderModel</name>
    <message>
        <source>Allocated in</source>
        <translation>Belegt in</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
</context>
<context>
    <name>loupe::views::ImGuiWidget</name>
    <message>
        <source>Timeline: drawing</source>
        <translation>Zeitachse: Zeichnen</translation>
    </message>
</context>
<context>
    <name>loupe::views::Imports</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>loupe::views::InputModel</name>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Seed, range or file</source>
        <translation>Seed, Bereich oder Datei</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Zufällig</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>Normal</translation>
    </message>
    <message>
        <source>Zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Ones</source>
        <translation>Einsen</translation>
    </message>
    <message>
        <source>Arange</source>
        <translation>Arange</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>input %1</source>
        <translation>Eingabe %1</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>List</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>seed %1, %2 to %3</source>
        <translation>Seed %1, %2 bis %3</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>Seed %1</translation>
    </message>
</context>
<context>
    <name>loupe::views::InputsView</name>
    <message>
        <source>A text gives the model&apos;s tokens, shown in the panel Text; numbers are ids. Return runs the model on it.</source>
        <translation>Ein Text ergibt die Tokens des Modells, zu sehen im Panel Text; Zahlen sind IDs. Die Eingabetaste führt das Modell damit aus.</translation>
    </message>
    <message>
        <source>A text gives its bytes as token ids; numbers are ids. Return runs the model on it.</source>
        <translation>Ein Text ergibt seine Bytes als Token-IDs; Zahlen sind IDs. Die Eingabetaste führt das Modell damit aus.</translation>
    </message>
    <message>
        <source>Next: %1</source>
        <translation>Nächstes: %1</translation>
    </message>
    <message>
        <source>Output: %1</source>
        <translation>Ausgabe: %1</translation>
    </message>
    <message>
        <source>Next: %1, then %2</source>
        <translation>Nächstes: %1, dann %2</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>What the next run is given: shape, type and source of each input, and how it runs. Drop a .npz, .npy or an image here.</source>
        <translation>Was der nächste Lauf bekommt: Form, Typ und Quelle jeder Eingabe, und wie er läuft. Ziehen Sie eine .npz, .npy oder ein Bild hierher.</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Wipe the drawing pad</source>
        <translation>Zeichenfläche leeren</translation>
    </message>
    <message>
        <source>Type a text, or token ids: 5 3 8</source>
        <translation>Text eingeben, oder Token-IDs: 5 3 8</translation>
    </message>
    <message>
        <source>Text of the input</source>
        <translation>Text der Eingabe</translation>
    </message>
    <message>
        <source>The two largest of the last output, by softmax</source>
        <translation>Die zwei größten der letzten Ausgabe, nach Softmax</translation>
    </message>
    <message>
        <source>From file…</source>
        <translation>Datei…</translation>
    </message>
    <message>
        <source>Take inputs from a .npz, .npy, .pt or an image</source>
        <translation>Eingaben aus einer .npz, .npy, .pt oder einem Bild nehmen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Run with these inputs (F5)</source>
        <translation>Mit diesen Eingaben ausführen (F5)</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>the model is running</source>
        <translation>das Modell läuft</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Nicht jetzt: %1</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Also run backward, from what is chosen below</source>
        <translation>Auch rückwärts ausführen, ab dem, was unten gewählt ist</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Minimum, maximum, mean, NaN and Inf of every output</source>
        <translation>Minimum, Maximum, Mittel, NaN und Inf jeder Ausgabe</translation>
    </message>
    <message>
        <source>Parts</source>
        <translation>Teile</translation>
    </message>
    <message>
        <source>Operators that are made of others (onnx::Gemm, aten::linear) are recorded with what runs in them: F11 steps into them</source>
        <translation>Operatoren, die aus anderen bestehen (onnx::Gemm, aten::linear), werden mit dem aufgezeichnet, was in ihnen läuft: F11 geht hinein</translation>
    </message>
    <message>
        <source>as the file says</source>
        <translation>wie die Datei sagt</translation>
    </message>
    <message>
        <source>eval</source>
        <translation>eval</translation>
    </message>
    <message>
        <source>train</source>
        <translation>train</translation>
    </message>
    <message>
        <source>Training flag of all modules</source>
        <translation>Training-Flag aller Module</translation>
    </message>
    <message>
        <source>Passes that run on the graph first</source>
        <translation>Passes, die zuerst auf dem Graphen laufen</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Compiles the graph first, with the mode&apos;s own passes unless some are chosen; the panel Compile tells what came of it</source>
        <translation>Kompiliert zuerst den Graphen, mit den Passes des Modus, sofern keine gewählt sind; das Panel Kompilieren sagt, was daraus wurde</translation>
    </message>
    <message>
        <source>all cores</source>
        <translation>alle Kerne</translation>
    </message>
    <message>
        <source>Of dropout and other random operators</source>
        <translation>Für Dropout und andere zufällige Operatoren</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Ab</translation>
    </message>
    <message>
        <source>What backward starts from</source>
        <translation>Womit rückwärts beginnt</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Passes</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>Kompil.</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>inputs are those of the model before, with which this one is compared</source>
        <translation>die Eingaben sind die des vorigen Modells, mit dem dieses verglichen wird</translation>
    </message>
    <message>
        <source>Inputs from a file</source>
        <translation>Eingaben aus einer Datei</translation>
    </message>
    <message>
        <source>Arrays and images (*.npz *.npy *.pt *.png *.jpg *.jpeg);;All files (*)</source>
        <translation>Arrays und Bilder (*.npz *.npy *.pt *.png *.jpg *.jpeg);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Inputs from a file…</source>
        <translation>Eingaben aus einer Datei…</translation>
    </message>
    <message>
        <source>Clear the drawing pad</source>
        <translation>Zeichenfläche leeren</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>Als Text kopieren</translation>
    </message>
    <message>
        <source>Forward only</source>
        <translation>Nur vorwärts</translation>
    </message>
    <message>
        <source>Forward and backward</source>
        <translation>Vorwärts und rückwärts</translation>
    </message>
</context>
<context>
    <name>loupe::views::KernelsView</name>
    <message>
        <source>&lt;br&gt;%1 in and out: %2 GB/s</source>
        <translation>&lt;br&gt;%1 hinein und heraus: %2 GB/s</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>What a pipeline fuses: for each group its operators, the fused expression, LLVM IR, assembly, and its time against the operators one by one.</source>
        <translation>Was eine Pipeline fusioniert: für jede Gruppe ihre Operatoren, den fusionierten Ausdruck, LLVM-IR, Assembler und ihre Zeit gegen die der einzelnen Operatoren.</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>Pipeline</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Also the groups of the backward pass; for that, choose a pipeline that trains</source>
        <translation>Auch die Gruppen des Rückwärtsdurchlaufs; wählen Sie dafür eine Pipeline, die trainiert</translation>
    </message>
    <message>
        <source>Compile and time</source>
        <translation>Kompilieren und messen</translation>
    </message>
    <message>
        <source>Fusion groups</source>
        <translation>Fusionsgruppen</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>Scope</translation>
    </message>
    <message>
        <source>Ops</source>
        <translation>Ops</translation>
    </message>
    <message>
        <source>Fused</source>
        <translation>Fusioniert</translation>
    </message>
    <message>
        <source>Unfused</source>
        <translation>Einzeln</translation>
    </message>
    <message>
        <source>Faster</source>
        <translation>Schneller</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>Operatoren</translation>
    </message>
    <message>
        <source>Expression</source>
        <translation>Ausdruck</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>LLVM IR</source>
        <translation>LLVM-IR</translation>
    </message>
    <message>
        <source>Assembly</source>
        <translation>Assembler</translation>
    </message>
    <message>
        <source>Pages of the group</source>
        <translation>Seiten der Gruppe</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Not now: no model is open</source>
        <translation>Nicht jetzt: Kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>Not now: a run is under way; stop it first</source>
        <translation>Nicht jetzt: Ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Runs the graph after the pipeline, and times each group fused and unfused</source>
        <translation>Führt den Graphen nach der Pipeline aus und misst jede Gruppe fusioniert und einzeln</translation>
    </message>
    <message>
        <source>compiling and timing…</source>
        <translation>kompiliert und misst…</translation>
    </message>
    <message>
        <source> (backward)</source>
        <translation> (rückwärts)</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>%1 makes no fusion groups of this model%2</source>
        <translation>%1 bildet keine Fusionsgruppen aus diesem Modell%2</translation>
    </message>
    <message>
        <source>; these do: %1</source>
        <translation>; diese bilden welche: %1</translation>
    </message>
    <message>
        <source>; no other pipeline does either</source>
        <translation>; auch keine andere Pipeline bildet welche</translation>
    </message>
    <message>
        <source>, forward and backward</source>
        <translation>, vorwärts und rückwärts</translation>
    </message>
    <message>
        <source>Choose a pipeline and compile: its fusion groups are listed here</source>
        <translation>Wählen Sie eine Pipeline und kompilieren Sie: Ihre Fusionsgruppen werden hier aufgeführt</translation>
    </message>
    <message>
        <source>%1: %2, unfused %3</source>
        <translation>%1: %2, einzeln %3</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>, code from the cache on disk</source>
        <translation>, Code aus dem Cache auf der Platte</translation>
    </message>
    <message>
        <source>, compiled in %1</source>
        <translation>, kompiliert in %1</translation>
    </message>
    <message>
        <source>&lt;br&gt;Any sizes: one kernel%1. These sizes: %2%3</source>
        <translation>&lt;br&gt;Beliebige Größen: ein Kernel%1. Diese Größen: %2%3</translation>
    </message>
    <message>
        <source>, %1 when they are new</source>
        <translation>, %1, wenn sie neu sind</translation>
    </message>
    <message>
        <source>, %1 unfused %2</source>
        <translation>, %1 einzeln %2</translation>
    </message>
    <message>
        <source>&lt;br&gt;not fused: %1</source>
        <translation>&lt;br&gt;nicht fusioniert: %1</translation>
    </message>
    <message>
        <source>; its operators run one by one</source>
        <translation>; seine Operatoren laufen einzeln</translation>
    </message>
    <message>
        <source>Compile and time the fusion groups</source>
        <translation>Fusionsgruppen kompilieren und messen</translation>
    </message>
    <message>
        <source>Copy this page</source>
        <translation>Diese Seite kopieren</translation>
    </message>
</context>
<context>
    <name>loupe::views::LayerTableModel</name>
    <message>
        <source>only here</source>
        <translation>nur hier</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>weicht ab</translation>
    </message>
    <message>
        <source>≠ gradient %1</source>
        <translation>≠ Gradient %1</translation>
    </message>
    <message>
        <source>Output: %1
Gradient that leaves it: %2</source>
        <translation>Ausgabe: %1
Gradient, der es verlässt: %2</translation>
    </message>
    <message>
        <source>Nothing of it was compared</source>
        <translation>Nichts davon wurde verglichen</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
</context>
<context>
    <name>loupe::views::LinesView</name>
    <message>
        <source>Source to assembly</source>
        <translation>Quelltext bis Assembler</translation>
    </message>
    <message>
        <source>The source, the graph before and after a pipeline, the fused kernels and their assembly side by side. Lines have the colour of the source line that they came from; point at one, or choose it, to find it in the others.</source>
        <translation>Der Quelltext, der Graph vor und nach einer Pipeline, die fusionierten Kernel und ihr Assembler nebeneinander. Zeilen haben die Farbe der Quelltextzeile, aus der sie stammen; zeigen Sie auf eine, oder wählen Sie sie, um sie in den anderen zu finden.</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>Pipeline</translation>
    </message>
    <message>
        <source>Passes between both graphs</source>
        <translation>Passes zwischen beiden Graphen</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>Kompilieren</translation>
    </message>
    <message>
        <source>Source file</source>
        <translation>Quelltextdatei</translation>
    </message>
    <message>
        <source>File of the source</source>
        <translation>Datei des Quelltexts</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Only what came from one function</source>
        <translation>Nur was aus einer Funktion stammt</translation>
    </message>
    <message>
        <source>Fusion group</source>
        <translation>Fusionsgruppe</translation>
    </message>
    <message>
        <source>Only one fusion group</source>
        <translation>Nur eine Fusionsgruppe</translation>
    </message>
    <message>
        <source>Text of kernels</source>
        <translation>Text der Kernel</translation>
    </message>
    <message>
        <source>What is shown of a kernel</source>
        <translation>Was von einem Kernel gezeigt wird</translation>
    </message>
    <message>
        <source>expression</source>
        <translation>Ausdruck</translation>
    </message>
    <message>
        <source>LLVM IR</source>
        <translation>LLVM-IR</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelltext</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Assembly</source>
        <translation>Assembler</translation>
    </message>
    <message>
        <source>Show the source</source>
        <translation>Quelltext zeigen</translation>
    </message>
    <message>
        <source>Show the graph before the passes</source>
        <translation>Graphen vor den Passes zeigen</translation>
    </message>
    <message>
        <source>Show the graph after the passes</source>
        <translation>Graphen nach den Passes zeigen</translation>
    </message>
    <message>
        <source>Show the fused kernels</source>
        <translation>Fusionierte Kernel zeigen</translation>
    </message>
    <message>
        <source>Show the assembly of the fused kernels</source>
        <translation>Assembler der fusionierten Kernel zeigen</translation>
    </message>
    <message>
        <source>Graph before the passes</source>
        <translation>Graph vor den Passes</translation>
    </message>
    <message>
        <source>Graph after the passes</source>
        <translation>Graph nach den Passes</translation>
    </message>
    <message>
        <source>Fused kernels</source>
        <translation>Fusionierte Kernel</translation>
    </message>
    <message>
        <source>Not now: no model is open</source>
        <translation>Nicht jetzt: Kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>Not now: a run is under way; stop it first</source>
        <translation>Nicht jetzt: Ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Runs the passes, and the graph on the inputs to compile its fusion groups</source>
        <translation>Führt die Passes aus, und den Graphen mit den Eingaben, um seine Fusionsgruppen zu kompilieren</translation>
    </message>
    <message>
        <source>compiling…</source>
        <translation>kompiliert…</translation>
    </message>
    <message>
        <source>all groups</source>
        <translation>alle Gruppen</translation>
    </message>
    <message>
        <source>all functions</source>
        <translation>alle Funktionen</translation>
    </message>
    <message>
        <source>Press Compile to see the kernels of the fusion groups</source>
        <translation>Drücken Sie Kom­pi­lieren, um die Kernel der Fu­sions­gruppen zu sehen</translation>
    </message>
    <message>
        <source>%1 makes no fusion groups of this model</source>
        <translation>%1 bildet keine Fu­sions­gruppen aus diesem Modell</translation>
    </message>
    <message>
        <source>Nothing came from it</source>
        <translation>Nichts stammt daraus</translation>
    </message>
    <message>
        <source>Press Compile to see the graph</source>
        <translation>Drücken Sie Kom­pi­lieren, um den Graphen zu sehen</translation>
    </message>
    <message>
        <source>This model has no source</source>
        <translation>Dieses Modell hat keinen Quell­text</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>Kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>%1: %2; as read %3</source>
        <translation>%1: %2; wie gelesen %3</translation>
    </message>
    <message>
        <source>. A run refuses it: %1</source>
        <translation>. Ein Lauf verweigert es: %1</translation>
    </message>
    <message>
        <source>Compile and show the lines</source>
        <translation>Kompilieren und die Zeilen zeigen</translation>
    </message>
    <message>
        <source>Show the chosen line in Source</source>
        <translation>Die gewählte Zeile in Quelltext zeigen</translation>
    </message>
    <message>
        <source>Show the passes one by one</source>
        <translation>Die Passes einzeln zeigen</translation>
    </message>
    <message>
        <source>Show and time the kernels</source>
        <translation>Die Kernel zeigen und messen</translation>
    </message>
</context>
<context>
    <name>loupe::views::LogView</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Errors, warnings and what else the engine tells; activate an entry to go where it happened.</source>
        <translation>Fehler, Warnungen und was die Engine sonst meldet; ein Doppelklick auf einen Eintrag geht dorthin, wo es geschah.</translation>
    </message>
    <message>
        <source>Nothing to tell so far.</source>
        <translation>Bisher nichts zu melden.</translation>
    </message>
    <message>
        <source>Its event is of an earlier run; this leads to the line alone.</source>
        <translation>Sein Ereignis gehört zu einem früheren Lauf; dies führt nur zur Zeile.</translation>
    </message>
    <message>
        <source>Its event is of an earlier run, which is not shown any more.</source>
        <translation>Sein Ereignis gehört zu einem früheren Lauf, der nicht mehr gezeigt wird.</translation>
    </message>
    <message>
        <source>Copy selected entries</source>
        <translation>Ausgewählte Einträge kopieren</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
</context>
<context>
    <name>loupe::views::MemoryView</name>
    <message>
        <source>What is shown</source>
        <translation>Was gezeigt wird</translation>
    </message>
    <message>
        <source>The run, or a memory snapshot that was opened</source>
        <translation>Der Lauf oder ein geöffneter Speicher-Snapshot</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>Verglichen mit</translation>
    </message>
    <message>
        <source>What another snapshot holds at its peak, beside this one&apos;s</source>
        <translation>Was ein anderer Snapshot an seiner Spitze hält, neben der dieses</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Closes the snapshot</source>
        <translation>Schließt den Snapshot</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>Dieser Lauf</translation>
    </message>
    <message>
        <source>compare with…</source>
        <translation>vergleichen mit…</translation>
    </message>
    <message>
        <source>with %1</source>
        <translation>mit %1</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Bytes alive after every event, by what they are for; beside it the blocks alive at the current event with who keeps them for backward, and sums by module and by category. Click the plot to go to an event, a row to go to who made the block.</source>
        <translation>Belegte Bytes nach jedem Ereignis, nach ihrem Zweck; daneben die beim aktuellen Ereignis belegten Blöcke, wer sie für rückwärts behält, und Summen je Modul und Kategorie. Ein Klick ins Diagramm geht zum Ereignis, einer auf eine Zeile dorthin, wo der Block entstand.</translation>
    </message>
    <message>
        <source>Bytes alive over events</source>
        <translation>Belegte Bytes über die Ereignisse</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>Blocks alive at the current event</source>
        <translation>Beim aktuellen Ereignis belegte Blöcke</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>Categories</source>
        <translation>Kategorien</translation>
    </message>
    <message>
        <source>Addresses</source>
        <translation>Adressen</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Every block alive at the current event: who made it, and who keeps it for backward</source>
        <translation>Jeder beim aktuellen Ereignis belegte Block: wer ihn erzeugte und wer ihn für rückwärts behält</translation>
    </message>
    <message>
        <source>Sums by module at the current event and at the peak, and what each layer&apos;s forward and backward left alive</source>
        <translation>Summen je Modul beim aktuellen Ereignis und an der Spitze, und was vorwärts und rückwärts jeder Schicht belegt zurückließen</translation>
    </message>
    <message>
        <source>Sums by category at the current event and at the peak</source>
        <translation>Summen je Kategorie beim aktuellen Ereignis und an der Spitze</translation>
    </message>
    <message>
        <source>Where the blocks lie in memory, coloured as in the plot; click one to go to who made it</source>
        <translation>Wo die Blöcke im Speicher liegen, gefärbt wie im Diagramm; ein Klick geht dorthin, wo der Block entstand</translation>
    </message>
    <message>
        <source>The peak of every rank of the run, and what each has at the current event</source>
        <translation>Die Spitze jedes Rangs des Laufs, und was jeder beim aktuellen Ereignis hat</translation>
    </message>
    <message>
        <source>Memory by module</source>
        <translation>Speicher je Modul</translation>
    </message>
    <message>
        <source>Memory by rank</source>
        <translation>Speicher je Rang</translation>
    </message>
    <message>
        <source>Memory by category</source>
        <translation>Speicher je Kategorie</translation>
    </message>
    <message>
        <source>No memory to account for yet: run the model (F5).</source>
        <translation>Noch kein Speicher aufzuführen: Führen Sie das Modell aus (F5).</translation>
    </message>
    <message>
        <source> in &lt;a href=&apos;%1&apos;&gt;#%1 %2&lt;/a&gt; %3</source>
        <translation> in &lt;a href=&apos;%1&apos;&gt;#%1 %2&lt;/a&gt; %3</translation>
    </message>
    <message>
        <source> · beside it %1 in kernel caches</source>
        <translation> · daneben %1 in Kernel-Caches</translation>
    </message>
    <message>
        <source> · %1 %2</source>
        <translation> · %1 %2</translation>
    </message>
    <message>
        <source>Peak %1%2 · now %3%4%5</source>
        <translation>Spitze %1%2 · jetzt %3%4%5</translation>
    </message>
    <message>
        <source>Alive at #%1: %2, %3</source>
        <translation>Belegt bei #%1: %2, %3</translation>
    </message>
    <message>
        <source>%1, in %2, %3 between</source>
        <translation>%1, in %2, dazwischen %3</translation>
    </message>
    <message>
        <source>Go to the peak of memory</source>
        <translation>Zur Speicherspitze</translation>
    </message>
    <message>
        <source>List blocks</source>
        <translation>Blöcke auflisten</translation>
    </message>
    <message>
        <source>Sums by module</source>
        <translation>Summen je Modul</translation>
    </message>
    <message>
        <source>Sums by category</source>
        <translation>Summen je Kategorie</translation>
    </message>
    <message>
        <source>Show blocks by address</source>
        <translation>Blöcke nach Adresse zeigen</translation>
    </message>
    <message>
        <source>Copy the list of blocks</source>
        <translation>Liste der Blöcke kopieren</translation>
    </message>
    <message>
        <source>Save memory plot or data...</source>
        <translation>Speicherdiagramm oder Daten speichern...</translation>
    </message>
</context>
<context>
    <name>loupe::views::ModuleMapCanvas</name>
    <message>
        <source>Map of the modules</source>
        <translation>Karte der Module</translation>
    </message>
    <message>
        <source>  %1 only in the reference</source>
        <translation>  %1 nur in der Referenz</translation>
    </message>
    <message>
        <source>area: operators</source>
        <translation>Fläche: Operatoren</translation>
    </message>
    <message>
        <source>area: time</source>
        <translation>Fläche: Zeit</translation>
    </message>
    <message>
        <source>area: memory made</source>
        <translation>Fläche: erzeugter Speicher</translation>
    </message>
    <message>
        <source> (nothing is recorded yet)</source>
        <translation> (noch ist nichts aufgezeichnet)</translation>
    </message>
</context>
<context>
    <name>loupe::views::ModuleMemoryModel</name>
    <message>
        <source>%1: %2 at #%3</source>
        <translation>%1: %2 bei #%3</translation>
    </message>
    <message>
        <source>Kernel caches take %1 beside it</source>
        <translation>Kernel-Caches belegen daneben %1</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>At #%1</source>
        <translation>Bei #%1</translation>
    </message>
    <message>
        <source>At peak #%1</source>
        <translation>Bei Spitze #%1</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Sonstiges</translation>
    </message>
    <message>
        <source>Forward Δ</source>
        <translation>Vorwärts Δ</translation>
    </message>
    <message>
        <source>Backward Δ</source>
        <translation>Rückwärts Δ</translation>
    </message>
    <message>
        <source>Blocks are of the module that made them; rows add up what is inside</source>
        <translation>Blöcke gehören zu dem Modul, das sie erzeugte; Zeilen summieren, was darin ist</translation>
    </message>
    <message>
        <source>Alive at the current event, without kernel caches</source>
        <translation>Beim aktuellen Ereignis belegt, ohne Kernel-Caches</translation>
    </message>
    <message>
        <source>Alive at the peak of the run, without kernel caches</source>
        <translation>An der Spitze des Laufs belegt, ohne Kernel-Caches</translation>
    </message>
    <message>
        <source>Parameters and buffers at the current event</source>
        <translation>Parameter und Puffer beim aktuellen Ereignis</translation>
    </message>
    <message>
        <source>Gradients at the current event</source>
        <translation>Gradienten beim aktuellen Ereignis</translation>
    </message>
    <message>
        <source>Kept for backward at the current event</source>
        <translation>Beim aktuellen Ereignis für rückwärts behalten</translation>
    </message>
    <message>
        <source>Activations at the current event that nothing keeps for backward</source>
        <translation>Aktivierungen beim aktuellen Ereignis, die nichts für rückwärts behält</translation>
    </message>
    <message>
        <source>Inputs, workspace and the rest at the current event</source>
        <translation>Eingaben, Arbeitsspeicher der Kernel und alles Übrige beim aktuellen Ereignis</translation>
    </message>
    <message>
        <source>What all its forward events left alive, less what they let go of</source>
        <translation>Was alle seine Ereignisse vorwärts belegt zurückließen, abzüglich des Freigegebenen</translation>
    </message>
    <message>
        <source>What all its backward events left alive, less what they let go of</source>
        <translation>Was alle seine Ereignisse rückwärts belegt zurückließen, abzüglich des Freigegebenen</translation>
    </message>
</context>
<context>
    <name>loupe::views::ModuleModel</name>
    <message>
        <source>Module</source>
        <translation>Modul</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Grad</source>
        <translation>Grad</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>Hooks</source>
        <translation>Hooks</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>Aufz.</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Name in its parent</source>
        <translation>Name in seinem Elternmodul</translation>
    </message>
    <message>
        <source>Class of the module</source>
        <translation>Klasse des Moduls</translation>
    </message>
    <message>
        <source>Shape of a parameter or buffer</source>
        <translation>Form eines Parameters oder Puffers</translation>
    </message>
    <message>
        <source>Element type</source>
        <translation>Elementtyp</translation>
    </message>
    <message>
        <source>Number of elements; of a module, of its whole subtree, shared ones once</source>
        <translation>Anzahl der Elemente; bei einem Modul die seines ganzen Teilbaums, gemeinsame einmal</translation>
    </message>
    <message>
        <source>Bytes of the elements</source>
        <translation>Bytes der Elemente</translation>
    </message>
    <message>
        <source>Whether gradients are computed: all, none, or some of the parameters below</source>
        <translation>Ob Gradienten berechnet werden: von allen, keinem oder einigen der Parameter darunter</translation>
    </message>
    <message>
        <source>train or eval, as the training flag says</source>
        <translation>train oder eval, wie das Training-Flag sagt</translation>
    </message>
    <message>
        <source>Hooks that calls of the module run, forward and backward</source>
        <translation>Hooks, die Aufrufe des Moduls ausführen, vorwärts und rückwärts</translation>
    </message>
    <message>
        <source>Whether values and statistics are kept in the next recording: of what the module makes, of the parameter and its gradients. Without a tick a NaN there is not noticed</source>
        <translation>Ob Werte und Statistik in der nächsten Aufzeichnung aufbewahrt werden: von dem, was das Modul erzeugt, vom Parameter und seinen Gradienten. Ohne Häkchen wird ein NaN dort nicht bemerkt</translation>
    </message>
    <message>
        <source>The module&apos;s output on each rank, coloured by how far it is from the others&apos;; hatched: NaN or Inf; an empty frame: the rank has none. Click a cell to go there</source>
        <translation>Die Ausgabe des Moduls auf jedem Rang, gefärbt danach, wie weit sie von denen der anderen entfernt ist; schraffiert: NaN oder Inf; leerer Rahmen: Der Rang hat keine. Ein Klick auf eine Zelle geht dorthin</translation>
    </message>
    <message>
        <source>pruned by %1</source>
        <translation>gestutzt durch %1</translation>
    </message>
    <message>
        <source>parametrized by %1</source>
        <translation>parametrisiert durch %1</translation>
    </message>
    <message>
        <source>only here</source>
        <translation>nur hier</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>some</source>
        <translation>einige</translation>
    </message>
    <message>
        <source>train</source>
        <translation>train</translation>
    </message>
    <message>
        <source>eval</source>
        <translation>eval</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Its values are not recorded. Click to record them from the next run on</source>
        <translation>Seine Werte werden nicht aufgezeichnet. Ein Klick zeichnet sie ab dem nächsten Lauf auf</translation>
    </message>
    <message>
        <source>Its values are recorded. Click to leave them out from the next run on</source>
        <translation>Seine Werte werden aufgezeichnet. Ein Klick lässt sie ab dem nächsten Lauf weg</translation>
    </message>
    <message>
        <source>Hooks: %1</source>
        <translation>Hooks: %1</translation>
    </message>
    <message>
        <source>Frozen: its parameters take no gradients</source>
        <translation>Eingefroren: Seine Parameter nehmen keine Gradienten an</translation>
    </message>
    <message>
        <source>%1 is %2: computed from %3</source>
        <translation>%1 ist %2: berechnet aus %3</translation>
    </message>
</context>
<context>
    <name>loupe::views::ModulesView</name>
    <message>
        <source>Modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>The modules of the model with their parameters, buffers and attributes. Select one to see its first event.</source>
        <translation>Die Module des Modells mit ihren Parametern, Puffern und Attributen. Wählen Sie eines, um sein erstes Ereignis zu sehen.</translation>
    </message>
    <message>
        <source>Find a module, class or parameter</source>
        <translation>Modul, Klasse oder Parameter suchen</translation>
    </message>
    <message>
        <source>Find a module</source>
        <translation>Modul suchen</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>mean |x|</source>
        <translation>Mittel |x|</translation>
    </message>
    <message>
        <source>NaN and Inf</source>
        <translation>NaN und Inf</translation>
    </message>
    <message>
        <source>What the cells of the ranks show</source>
        <translation>Was die Zellen der Ränge zeigen</translation>
    </message>
    <message>
        <source>What the cells of the ranks show, of each module&apos;s output</source>
        <translation>Was die Zellen der Ränge zeigen, von der Ausgabe jedes Moduls</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1, %2, %3</translation>
    </message>
    <message>
        <source>%1 learns</source>
        <translation>%1 lernt</translation>
    </message>
    <message>
        <source>%1 only answers</source>
        <translation>%1 antwortet nur</translation>
    </message>
    <message>
        <source>%1 begins anew</source>
        <translation>%1 beginnt neu</translation>
    </message>
    <message>
        <source>Copy summary</source>
        <translation>Zusammenfassung kopieren</translation>
    </message>
    <message>
        <source>Export parameters as CSV…</source>
        <translation>Parameter als CSV exportieren…</translation>
    </message>
    <message>
        <source>Freeze %1 (no gradients)</source>
        <translation>%1 einfrieren (keine Gradienten)</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>Einfrieren</translation>
    </message>
    <message>
        <source>Unfreeze %1</source>
        <translation>%1 auftauen</translation>
    </message>
    <message>
        <source>Unfreeze</source>
        <translation>Auftauen</translation>
    </message>
    <message>
        <source>From the next run on</source>
        <translation>Ab dem nächsten Lauf</translation>
    </message>
    <message>
        <source>Not now: no module is selected</source>
        <translation>Nicht jetzt: Kein Modul ist ausgewählt</translation>
    </message>
    <message>
        <source>a run is under way; stop it first</source>
        <translation>ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>no module is selected</source>
        <translation>kein Modul ist ausgewählt</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Nicht jetzt: %1</translation>
    </message>
    <message>
        <source>Let %1 learn (train mode)</source>
        <translation>%1 lernen lassen (train-Modus)</translation>
    </message>
    <message>
        <source>Train mode</source>
        <translation>train-Modus</translation>
    </message>
    <message>
        <source>Dropout drops, batch normalisation counts: from the next run on</source>
        <translation>Dropout lässt weg, Batch-Normalisierung zählt: ab dem nächsten Lauf</translation>
    </message>
    <message>
        <source>Let %1 only answer (eval mode)</source>
        <translation>%1 nur antworten lassen (eval-Modus)</translation>
    </message>
    <message>
        <source>Eval mode</source>
        <translation>eval-Modus</translation>
    </message>
    <message>
        <source>Re-initialise %1</source>
        <translation>%1 neu initialisieren</translation>
    </message>
    <message>
        <source>Re-initialise</source>
        <translation>Neu initialisieren</translation>
    </message>
    <message>
        <source>New first values for its parameters, as PyTorch gives them</source>
        <translation>Neue Anfangswerte für seine Parameter, wie PyTorch sie gibt</translation>
    </message>
    <message>
        <source>Expand all</source>
        <translation>Alles aufklappen</translation>
    </message>
    <message>
        <source>Collapse all</source>
        <translation>Alles zuklappen</translation>
    </message>
    <message>
        <source>Toggle breakpoint on %1</source>
        <translation>Haltepunkt auf %1 umschalten</translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>Namen kopieren</translation>
    </message>
    <message>
        <source>Export parameters</source>
        <translation>Parameter exportieren</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
</context>
<context>
    <name>loupe::views::OddsModel</name>
    <message>
        <source>%1
probability %2</source>
        <translation>%1
Wahrscheinlichkeit %2</translation>
    </message>
    <message>
        <source>probability %1, its logarithm %2</source>
        <translation>Wahrscheinlichkeit %1, ihr Logarithmus %2</translation>
    </message>
    <message>
        <source>%1 nats: as uncertain as among %2 equally likely tokens</source>
        <translation>%1 nats: so unsicher wie unter %2 gleich wahrscheinlichen Tokens</translation>
    </message>
    <message>
        <source>The token that stands there: the model&apos;s scores are of it</source>
        <translation>Das Token, das dort steht: Ihm gelten die Scores des Modells</translation>
    </message>
    <message>
        <source>The token that comes next in the text</source>
        <translation>Das Token, das im Text folgt</translation>
    </message>
    <message>
        <source>How likely the model held it</source>
        <translation>Für wie wahrscheinlich das Modell es hielt</translation>
    </message>
    <message>
        <source>Its place among all tokens, 1 for the likeliest</source>
        <translation>Sein Platz unter allen Tokens, 1 für das wahrscheinlichste</translation>
    </message>
    <message>
        <source>Of the model&apos;s probabilities, in nats: 0 when it is certain</source>
        <translation>Der Wahrscheinlichkeiten des Modells, in nats: 0, wenn es sicher ist</translation>
    </message>
    <message>
        <source>What the model held likeliest</source>
        <translation>Was das Modell für am wahrscheinlichsten hielt</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Stands there</source>
        <translation>Steht dort</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächstes</translation>
    </message>
    <message>
        <source>p</source>
        <translation>p</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Entropy</source>
        <translation>Entropie</translation>
    </message>
    <message>
        <source>Likeliest</source>
        <translation>Wahrscheinlichstes</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
</context>
<context>
    <name>loupe::views::PassesView</name>
    <message>
        <source>beside the reference, %1</source>
        <translation>neben der Referenz, %1</translation>
    </message>
    <message>
        <source>no reference: %1</source>
        <translation>keine Referenz: %1</translation>
    </message>
    <message>
        <source>run the model: its graph is compared then</source>
        <translation>führen Sie das Modell aus: Dann wird sein Graph verglichen</translation>
    </message>
    <message>
        <source>this run has no graph</source>
        <translation>dieser Lauf hat keinen Graphen</translation>
    </message>
    <message>
        <source>this run</source>
        <translation>dieser Lauf</translation>
    </message>
    <message>
        <source>IR and passes</source>
        <translation>IR und Passes</translation>
    </message>
    <message>
        <source>The graph as PyTorch prints it, and what each pass of a pipeline makes of it: before on the left, after on the right. Choose a line to see what it came from or what became of it.</source>
        <translation>Der Graph, wie PyTorch ihn druckt, und was jeder Pass einer Pipeline daraus macht: links vorher, rechts nachher. Wählen Sie eine Zeile, um zu sehen, woraus sie wurde oder was aus ihr wurde.</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>Pipeline</translation>
    </message>
    <message>
        <source>Pipeline of passes</source>
        <translation>Pipeline der Passes</translation>
    </message>
    <message>
        <source>Beside it</source>
        <translation>Daneben</translation>
    </message>
    <message>
        <source>What the graph after a pass is held against</source>
        <translation>Womit der Graph nach einem Pass verglichen wird</translation>
    </message>
    <message>
        <source>beside the graph before</source>
        <translation>neben dem Graphen davor</translation>
    </message>
    <message>
        <source>beside %1</source>
        <translation>neben %1</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>Method of the model</source>
        <translation>Methode des Modells</translation>
    </message>
    <message>
        <source>No-ops</source>
        <translation>Wirkungslose</translation>
    </message>
    <message>
        <source>Also list passes that changed nothing</source>
        <translation>Auch Passes auflisten, die nichts geändert haben</translation>
    </message>
    <message>
        <source>As graph</source>
        <translation>Als Graph</translation>
    </message>
    <message>
        <source>Show both graphs drawn instead of printed; a node chosen on one side is marked on the other</source>
        <translation>Beide Graphen gezeichnet statt gedruckt zeigen; ein auf einer Seite gewählter Knoten wird auf der anderen markiert</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Bisect</source>
        <translation>Halbieren</translation>
    </message>
    <message>
        <source>Which pass changed the result?</source>
        <translation>Welcher Pass hat das Ergebnis geändert?</translation>
    </message>
    <message>
        <source>Alt+Down goes to the next difference, Alt+Up to the one before</source>
        <translation>Alt+Ab geht zum nächsten Unterschied, Alt+Auf zum vorigen</translation>
    </message>
    <message>
        <source>Find (Ctrl+F)</source>
        <translation>Suchen (Strg+F)</translation>
    </message>
    <message>
        <source>Find in the graphs</source>
        <translation>In den Graphen suchen</translation>
    </message>
    <message>
        <source>Find a pass</source>
        <translation>Pass suchen</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Passes</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>Pass</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Max diff</source>
        <translation>Max. Diff.</translation>
    </message>
    <message>
        <source>Kernels that run: operators that run one by one, but for views, and fusion groups. Calls are unfolded; what is in a loop counts once.</source>
        <translation>Laufende Kernel: Operatoren, die einzeln laufen, außer Views, und Fusionsgruppen. Aufrufe sind aufgefaltet; was in einer Schleife steht, zählt einmal.</translation>
    </message>
    <message>
        <source>Greatest difference of an output from the first graph&apos;s, after Check</source>
        <translation>Größte Differenz einer Ausgabe zu der des ersten Graphen, nach Prüfen</translation>
    </message>
    <message>
        <source>Graph before the pass</source>
        <translation>Graph vor dem Pass</translation>
    </message>
    <message>
        <source>Graph after the pass</source>
        <translation>Graph nach dem Pass</translation>
    </message>
    <message>
        <source>running the passes...</source>
        <translation>führt die Passes aus...</translation>
    </message>
    <message>
        <source>running every graph…</source>
        <translation>führt jeden Graphen aus…</translation>
    </message>
    <message>
        <source>outputs differ by at most %1</source>
        <translation>Ausgaben weichen um höchstens %1 ab</translation>
    </message>
    <message>
        <source>Run the graph after every pass on the inputs, and compare the outputs with the first graph&apos;s</source>
        <translation>Führt den Graphen nach jedem Pass mit den Eingaben aus und vergleicht die Ausgaben mit denen des ersten Graphen</translation>
    </message>
    <message>
        <source>Not now: a run is under way; stop it first</source>
        <translation>Nicht jetzt: Ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Not now: no model is open</source>
        <translation>Nicht jetzt: Kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>A run refuses it: %1</source>
        <translation>Ein Lauf verweigert es: %1</translation>
    </message>
    <message>
        <source>%1 of %2 changed it, %3; kernels %4</source>
        <translation>%1 von %2 haben ihn geändert, %3; Kernel %4</translation>
    </message>
    <message>
        <source>as read</source>
        <translation>wie gelesen</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>relative %1</source>
        <translation>relativ %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1, after all its passes</source>
        <translation>%1, nach allen seinen Passes</translation>
    </message>
    <message>
        <source>before %1</source>
        <translation>vor %1</translation>
    </message>
    <message>
        <source>any pass</source>
        <translation>irgendein Pass</translation>
    </message>
    <message>
        <source>after %1, which failed: %2</source>
        <translation>nach %1, der fehlschlug: %2</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>nach %1</translation>
    </message>
    <message>
        <source>Save graph</source>
        <translation>Graph speichern</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>Text (*.txt)</translation>
    </message>
    <message>
        <source>Save graph after this pass as text...</source>
        <translation>Graph nach diesem Pass als Text speichern...</translation>
    </message>
    <message>
        <source>Show as text</source>
        <translation>Als Text zeigen</translation>
    </message>
    <message>
        <source>Show as graph</source>
        <translation>Als Graph zeigen</translation>
    </message>
    <message>
        <source>Check the passes numerically</source>
        <translation>Die Passes numerisch prüfen</translation>
    </message>
    <message>
        <source>Find the pass that changed the result</source>
        <translation>Den Pass suchen, der das Ergebnis geändert hat</translation>
    </message>
    <message>
        <source>Show the kernels of its fusion groups</source>
        <translation>Die Kernel seiner Fusionsgruppen zeigen</translation>
    </message>
    <message>
        <source>Copy graph after this pass</source>
        <translation>Graph nach diesem Pass kopieren</translation>
    </message>
    <message>
        <source>Run the passes again</source>
        <translation>Die Passes erneut ausführen</translation>
    </message>
</context>
<context>
    <name>loupe::views::PlanPicture</name>
    <message>
        <source>Buffers of the program over its steps</source>
        <translation>Puffer des Programms über seine Schritte</translation>
    </message>
    <message>
        <source>%1 at %2 of the block
from step %3 (%4) to %5 (%6)</source>
        <translation>%1 bei %2 des Blocks
von Schritt %3 (%4) bis %5 (%6)</translation>
    </message>
    <message>
        <source>
scratch</source>
        <translation>
Zwischenspeicher</translation>
    </message>
    <message>
        <source>
written over buffer %1</source>
        <translation>
überschreibt Puffer %1</translation>
    </message>
</context>
<context>
    <name>loupe::views::PlanView</name>
    <message>
        <source>Memory plan</source>
        <translation>Speicherplan</translation>
    </message>
    <message>
        <source>A graph as a planned program: buffers in one block over its steps, the predicted and measured peak, where the graph breaks and why; and what a run would take done another way.</source>
        <translation>Ein Graph als geplantes Programm: Puffer in einem Block über seine Schritte, die vorhergesagte und gemessene Spitze, wo und warum der Graph bricht; und was ein Lauf bräuchte, machte man ihn anders.</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>Pipeline</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Planen</translation>
    </message>
    <message>
        <source>Part of the graph</source>
        <translation>Teil des Graphen</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>Was wäre, wenn</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>Vorhersagen</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Graph breaks</source>
        <translation>Graph-Brüche</translation>
    </message>
    <message>
        <source>Graph break</source>
        <translation>Graph-Bruch</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Runs the graph by the interpreter and as planned programs, and measures both</source>
        <translation>Führt den Graphen im Interpreter und als geplante Programme aus und misst beides</translation>
    </message>
    <message>
        <source>Not now: a run is under way; stop it first</source>
        <translation>Nicht jetzt: Ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Not now: no model is open</source>
        <translation>Nicht jetzt: Kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>Not now: a change is being measured</source>
        <translation>Nicht jetzt: Eine Änderung wird gerade gemessen</translation>
    </message>
    <message>
        <source>Not now: nothing has run yet</source>
        <translation>Nicht jetzt: Es ist noch nichts gelaufen</translation>
    </message>
    <message>
        <source>Not now: choose a change first</source>
        <translation>Nicht jetzt: Wählen Sie zuerst eine Änderung</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Nicht jetzt: %1</translation>
    </message>
    <message>
        <source>Times the operators warm, those that would run in another dtype alone in that dtype, and adds them up</source>
        <translation>Misst die Operatoren warm, die in einem anderen dtype laufenden einzeln in diesem dtype, und summiert</translation>
    </message>
    <message>
        <source>Runs the model as it is and changed, warm and several times each, and shows what they took beside the forecast</source>
        <translation>Führt das Modell aus, wie es ist und geändert, warm und je mehrmals, und zeigt neben der Vorhersage, was sie brauchten</translation>
    </message>
    <message>
        <source>planning and measuring…</source>
        <translation>plant und misst…</translation>
    </message>
    <message>
        <source>part %1</source>
        <translation>Teil %1</translation>
    </message>
    <message>
        <source>Choose a pipeline and plan: buffers are drawn here where they lie in the program&apos;s one block</source>
        <translation>Wählen Sie eine Pipeline und planen Sie: Puffer werden hier gezeichnet, wo sie im einen Block des Programms liegen</translation>
    </message>
    <message>
        <source>This part runs as before: %1</source>
        <translation>Dieser Teil läuft wie zuvor: %1</translation>
    </message>
    <message>
        <source>nothing changes</source>
        <translation>nichts ändert sich</translation>
    </message>
    <message>
        <source>%1; measuring…</source>
        <translation>%1; misst…</translation>
    </message>
    <message>
        <source>measured %1 → &lt;b&gt;%2&lt;/b&gt;, %3 → &lt;b&gt;%4&lt;/b&gt;</source>
        <translation>gemessen %1 → &lt;b&gt;%2&lt;/b&gt;, %3 → &lt;b&gt;%4&lt;/b&gt;</translation>
    </message>
    <message>
        <source>not measured: %1</source>
        <translation>nicht gemessen: %1</translation>
    </message>
    <message>
        <source>not predicted: %1</source>
        <translation>nicht vorhergesagt: %1</translation>
    </message>
    <message>
        <source>predicted peak %1 → roughly &lt;b&gt;%2&lt;/b&gt;</source>
        <translation>vorhergesagte Spitze %1 → ungefähr &lt;b&gt;%2&lt;/b&gt;</translation>
    </message>
    <message>
        <source>predicted peak %1 → &lt;b&gt;%2&lt;/b&gt;</source>
        <translation>vorhergesagte Spitze %1 → &lt;b&gt;%2&lt;/b&gt;</translation>
    </message>
    <message>
        <source>time %1 → &lt;b&gt;%2&lt;/b&gt;</source>
        <translation>Zeit %1 → &lt;b&gt;%2&lt;/b&gt;</translation>
    </message>
    <message>
        <source>time not predicted: %1</source>
        <translation>Zeit nicht vorhergesagt: %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Time is not predicted: %1</source>
        <translation>Die Zeit ist nicht vorhergesagt: %1</translation>
    </message>
    <message>
        <source>%1; measuring kernels…</source>
        <translation>%1; misst Kernel…</translation>
    </message>
    <message>
        <source>Plan the memory of the graph</source>
        <translation>Speicher des Graphen planen</translation>
    </message>
</context>
<context>
    <name>loupe::views::PluginTableView</name>
    <message>
        <source>Make it again</source>
        <translation>Neu erstellen</translation>
    </message>
</context>
<context>
    <name>loupe::views::PointsPlot</name>
    <message>
        <source>Points in the plane in which they differ most</source>
        <translation>Punkte in der Ebene, in der sie sich am stärksten unterscheiden</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>#%1 %2: %3, %4</source>
        <translation>#%1 %2: %3, %4</translation>
    </message>
    <message>
        <source>; %1 %2</source>
        <translation>; %1 %2</translation>
    </message>
</context>
<context>
    <name>loupe::views::RankLanes</name>
    <message>
        <source>Timeline of the ranks</source>
        <translation>Zeitachse der Ränge</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>rank %1: %2</source>
        <translation>Rang %1: %2</translation>
    </message>
    <message>
        <source>
came last, %1 behind the one before it</source>
        <translation>
kam zuletzt, %1 nach dem vorigen</translation>
    </message>
    <message>
        <source>
waited %1 for rank %2</source>
        <translation>
wartete %1 auf Rang %2</translation>
    </message>
    <message>
        <source>rank %1: #%2 %3 %4
%5</source>
        <translation>Rang %1: #%2 %3 %4
%5</translation>
    </message>
</context>
<context>
    <name>loupe::views::RankMemoryModel</name>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Spitze</translation>
    </message>
    <message>
        <source>At event</source>
        <translation>Bei Ereignis</translation>
    </message>
    <message>
        <source>At the current event</source>
        <translation>Beim aktuellen Ereignis</translation>
    </message>
    <message>
        <source>Click a row to go to that rank&apos;s peak</source>
        <translation>Ein Klick auf eine Zeile geht zur Spitze dieses Rangs</translation>
    </message>
    <message>
        <source>The most that was alive at any event</source>
        <translation>Das Meiste, was bei irgendeinem Ereignis belegt war</translation>
    </message>
    <message>
        <source>Where the peak was</source>
        <translation>Wo die Spitze war</translation>
    </message>
    <message>
        <source>Alive after the event that does the same as the current one</source>
        <translation>Belegt nach dem Ereignis, das dasselbe tut wie das aktuelle</translation>
    </message>
</context>
<context>
    <name>loupe::views::RankModel</name>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Last event</source>
        <translation>Letztes Ereignis</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>Wartete</translation>
    </message>
    <message>
        <source>Others waited</source>
        <translation>Andere warteten</translation>
    </message>
    <message>
        <source>Came last</source>
        <translation>Kam zuletzt</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Click a row to look at that rank</source>
        <translation>Ein Klick auf eine Zeile zeigt diesen Rang</translation>
    </message>
    <message>
        <source>Where it ran</source>
        <translation>Wo er lief</translation>
    </message>
    <message>
        <source>Its process</source>
        <translation>Sein Prozess</translation>
    </message>
    <message>
        <source>Whether it ended, failed, or waits</source>
        <translation>Ob er endete, fehlschlug oder wartet</translation>
    </message>
    <message>
        <source>The last operator that it ran</source>
        <translation>Der letzte Operator, den er ausführte</translation>
    </message>
    <message>
        <source>How long it did nothing but wait in collectives for ranks that had not come yet</source>
        <translation>Wie lange er in Kollektivoperationen nur auf Ränge wartete, die noch nicht da waren</translation>
    </message>
    <message>
        <source>How long the others waited for it, while it came last</source>
        <translation>Wie lange die anderen auf ihn warteten, während er zuletzt kam</translation>
    </message>
    <message>
        <source>How often it was the last to come to a collective</source>
        <translation>Wie oft er als Letzter zu einer Kollektivoperation kam</translation>
    </message>
    <message>
        <source>Operators that were recorded</source>
        <translation>Operatoren, die aufgezeichnet wurden</translation>
    </message>
    <message>
        <source>opening</source>
        <translation>öffnet</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Clock: %1</source>
        <translation>Uhr: %1</translation>
    </message>
</context>
<context>
    <name>loupe::views::Ranks</name>
    <message>
        <source>Rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>opening</source>
        <translation>öffnet</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>parked %1</source>
        <translation>angehalten %1</translation>
    </message>
    <message>
        <source>before %1</source>
        <translation>vor %1</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>%1 % NaN or Inf</source>
        <translation>%1 % NaN oder Inf</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>the run has one process</source>
        <translation>der Lauf hat einen Prozess</translation>
    </message>
    <message>
        <source>the run of rank %1 is not at its end</source>
        <translation>der Lauf von Rang %1 ist nicht zu Ende</translation>
    </message>
    <message>
        <source>nothing has run yet on rank %1</source>
        <translation>auf Rang %1 ist noch nichts gelaufen</translation>
    </message>
    <message>
        <source>rank %1: %2</source>
        <translation>Rang %1: %2</translation>
    </message>
</context>
<context>
    <name>loupe::views::RanksView</name>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>The processes of a distributed run: which rank differs from the others and where that begins, which collectives do not match, and who waited for whom. Click a row to go to that rank and event.</source>
        <translation>Die Prozesse eines verteilten Laufs: welcher Rang von den anderen abweicht und wo das beginnt, welche Kollektivoperationen nicht zusammenpassen, und wer auf wen wartete. Ein Klick auf eine Zeile geht zu diesem Rang und Ereignis.</translation>
    </message>
    <message>
        <source>What is wrong between the ranks</source>
        <translation>Was zwischen den Rängen nicht stimmt</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>Kollektivoperationen</translation>
    </message>
    <message>
        <source>One process.
Open a recording that lies beside those of other ranks (step.loupe, step.rank1.loupe), or Run &gt; Run on N processes…</source>
        <translation>Ein Prozess.
Öffnen Sie eine Aufzeichnung, neben der die anderer Ränge liegen (step.loupe, step.rank1.loupe), oder Ausführen &gt; Auf N Prozessen ausführen…</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>No collectives, and nothing differs that should be equal</source>
        <translation>Keine Kollektivoperationen, und nichts weicht ab, was gleich sein sollte</translation>
    </message>
    <message>
        <source>The only collective matches, and nothing differs that should be equal</source>
        <translation>Die einzige Kollektive passt, und nichts weicht ab, was gleich sein sollte</translation>
    </message>
    <message>
        <source>All %1 match, and nothing differs that should be equal</source>
        <translation>Alle %1 passen zusammen, und nichts weicht ab, was gleich sein sollte</translation>
    </message>
    <message>
        <source>%1, %2; ranks waited %3 together, for rank %4 alone %5</source>
        <translation>%1, %2; die Ränge warteten zusammen %3, allein auf Rang %4 %5</translation>
    </message>
    <message>
        <source>Looking at the ranks…</source>
        <translation>Betrachtet die Ränge…</translation>
    </message>
    <message>
        <source>Nothing has run yet: run the model (F5)</source>
        <translation>Noch ist nichts gelaufen: Führen Sie das Modell aus (F5)</translation>
    </message>
    <message>
        <source>Copy what was found</source>
        <translation>Gefundenes kopieren</translation>
    </message>
    <message>
        <source>Go to the same on another rank</source>
        <translation>Dasselbe auf einem anderen Rang</translation>
    </message>
    <message>
        <source>On a rank that is as most are</source>
        <translation>Auf einem Rang, der wie die meisten ist</translation>
    </message>
    <message>
        <source>Not now: no finding is selected</source>
        <translation>Nicht jetzt: Kein Befund ist ausgewählt</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>loupe::views::ReleaseBar</name>
    <message>
        <source>PyTorch release</source>
        <translation>PyTorch-Version</translation>
    </message>
    <message>
        <source>PyTorch 2.15</source>
        <translation>PyTorch 2.15</translation>
    </message>
    <message>
        <source>PyTorch 1.13</source>
        <translation>PyTorch 1.13</translation>
    </message>
    <message>
        <source>Which PyTorch the source sees where releases differ: torch.__version__, first values of weights, draws, printed forms, messages of errors. The model is built again.</source>
        <translation>Welches PyTorch der Quelltext sieht, wo sich Versionen unterscheiden: torch.__version__, Anfangswerte der Gewichte, Zufallszahlen, gedruckte Formen, Fehlermeldungen. Das Modell wird neu gebaut.</translation>
    </message>
    <message>
        <source>Built as by</source>
        <translation>Gebaut wie mit</translation>
    </message>
</context>
<context>
    <name>loupe::views::ReportedPlot</name>
    <message>
        <source>Reported curves</source>
        <translation>Gemeldete Kurven</translation>
    </message>
    <message>
        <source>What the program reports with SummaryWriter or self.log: tick what is to be drawn</source>
        <translation>Was das Programm mit SummaryWriter oder self.log meldet: Haken Sie an, was gezeichnet werden soll</translation>
    </message>
    <message>
        <source>Reported values over steps</source>
        <translation>Gemeldete Werte über die Schritte</translation>
    </message>
</context>
<context>
    <name>loupe::views::SamplingBar</name>
    <message>
        <source>How a token is chosen</source>
        <translation>Wie ein Token gewählt wird</translation>
    </message>
    <message>
        <source>The likeliest token each time, or one drawn by the probabilities</source>
        <translation>Jedes Mal das wahrscheinlichste Token, oder eines, das nach den Wahrscheinlichkeiten gezogen wird</translation>
    </message>
    <message>
        <source>Likeliest</source>
        <translation>Wahrscheinlichstes</translation>
    </message>
    <message>
        <source>Drawn</source>
        <translation>Gezogen</translation>
    </message>
    <message>
        <source>temperature </source>
        <translation>Temperatur </translation>
    </message>
    <message>
        <source>Scores are divided by it: below 1 the likely ones gain</source>
        <translation>Scores werden durch sie geteilt: unter 1 gewinnen die wahrscheinlichen</translation>
    </message>
    <message>
        <source>top k </source>
        <translation>top k </translation>
    </message>
    <message>
        <source>Only so many of the likeliest; 0: all</source>
        <translation>Nur so viele der wahrscheinlichsten; 0: alle</translation>
    </message>
    <message>
        <source>top p </source>
        <translation>top p </translation>
    </message>
    <message>
        <source>Only the likeliest that together have this probability; 1: all</source>
        <translation>Nur die wahrscheinlichsten, die zusammen diese Wahrscheinlichkeit haben; 1: alle</translation>
    </message>
    <message>
        <source>min p </source>
        <translation>min p </translation>
    </message>
    <message>
        <source>Only those with this part of the likeliest one&apos;s probability; 0: all</source>
        <translation>Nur solche mit diesem Anteil an der Wahrscheinlichkeit des wahrscheinlichsten; 0: alle</translation>
    </message>
    <message>
        <source>seed </source>
        <translation>Seed </translation>
    </message>
    <message>
        <source>Of the random numbers, as torch.manual_seed</source>
        <translation>Der Zufallszahlen, wie torch.manual_seed</translation>
    </message>
    <message>
        <source>repetition penalty </source>
        <translation>Wiederholungsstrafe </translation>
    </message>
    <message>
        <source>Scores of tokens that came already are divided by it, negative ones multiplied; 1: none</source>
        <translation>Scores schon gekommener Tokens werden durch sie geteilt, negative damit multipliziert; 1: keine</translation>
    </message>
</context>
<context>
    <name>loupe::views::SegmentMap</name>
    <message>
        <source>Segments of the allocator and the blocks in them</source>
        <translation>Segmente des Allokators und die Blöcke darin</translation>
    </message>
    <message>
        <source>The snapshot has no segments</source>
        <translation>Der Snapshot hat keine Segmente</translation>
    </message>
    <message>
        <source>segment of %1 at 0x%2, %3</source>
        <translation>Segment von %1 bei 0x%2, %3</translation>
    </message>
</context>
<context>
    <name>loupe::views::SessionBridge</name>
    <message>
        <source>Rank %1: %2</source>
        <translation>Rang %1: %2</translation>
    </message>
    <message>
        <source>the condition &apos;%1&apos; was not taken: %2</source>
        <translation>die Bedingung &apos;%1&apos; wurde nicht übernommen: %2</translation>
    </message>
    <message>
        <source>nothing has run yet</source>
        <translation>noch ist nichts gelaufen</translation>
    </message>
    <message>
        <source>it is being timed</source>
        <translation>es wird gerade gemessen</translation>
    </message>
    <message>
        <source>a run is under way; stop it first</source>
        <translation>ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>a recording that was opened has no engine behind it; run it again first (F5)</source>
        <translation>hinter einer geöffneten Aufzeichnung steht keine Engine; führen Sie sie zuerst erneut aus (F5)</translation>
    </message>
    <message>
        <source>not timed: %1</source>
        <translation>nicht gemessen: %1</translation>
    </message>
    <message>
        <source>all operators take %1: medians of %2, %3 to warm up</source>
        <translation>alle Operatoren brauchen %1: Mediane über %2, %3 zum Warmlaufen</translation>
    </message>
    <message>
        <source>; 1 operator differs from run to run and has no time</source>
        <translation>; 1 Operator ist von Lauf zu Lauf verschieden und hat keine Zeit</translation>
    </message>
    <message>
        <source>; %1 operators differ from run to run and have no time</source>
        <translation>; %1 Operatoren sind von Lauf zu Lauf verschieden und haben keine Zeit</translation>
    </message>
    <message>
        <source>no event is selected</source>
        <translation>kein Ereignis ist ausgewählt</translation>
    </message>
    <message>
        <source>the outputs of this event are finite</source>
        <translation>die Ausgaben dieses Ereignisses sind endlich</translation>
    </message>
</context>
<context>
    <name>loupe::views::SharePicture</name>
    <message>
        <source>The elements that the number was made of, and their shares</source>
        <translation>Die Elemente, aus denen die Zahl entstand, und ihre Anteile</translation>
    </message>
    <message>
        <source>elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>shares</source>
        <translation>Anteile</translation>
    </message>
    <message>
        <source>[%1]  element %2  share %3</source>
        <translation>[%1]  Element %2  Anteil %3</translation>
    </message>
</context>
<context>
    <name>loupe::views::SnapshotBands</name>
    <message>
        <source>Active memory over the entries of the snapshot</source>
        <translation>Aktiver Speicher über die Einträge des Snapshots</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>Spitze %1</translation>
    </message>
    <message>
        <source>out of memory: %1</source>
        <translation>Speicher voll: %1</translation>
    </message>
    <message>
        <source>here</source>
        <translation>hier</translation>
    </message>
    <message>
        <source>%1 active, %2 reserved</source>
        <translation>%1 aktiv, %2 reserviert</translation>
    </message>
    <message>
        <source>blocks too small for this picture: zoom in</source>
        <translation>Blöcke zu klein für dieses Bild: hineinzoomen</translation>
    </message>
</context>
<context>
    <name>loupe::views::SnapshotPane</name>
    <message>
        <source>Holders</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>Who holds the memory at the pinned step, the peak at first</source>
        <translation>Wer beim festgehaltenen Schritt den Speicher hält, anfangs an der Spitze</translation>
    </message>
    <message>
        <source>The allocator&apos;s segments at that step, the blocks in them and the holes between</source>
        <translation>Die Segmente des Allokators bei diesem Schritt, die Blöcke darin und die Löcher dazwischen</translation>
    </message>
    <message>
        <source>Holders by</source>
        <translation>Besitzer nach</translation>
    </message>
    <message>
        <source>What blocks are added up by</source>
        <translation>Wonach Blöcke summiert werden</translation>
    </message>
    <message>
        <source>by own code</source>
        <translation>nach eigenem Code</translation>
    </message>
    <message>
        <source>by stack</source>
        <translation>nach Aufrufstapel</translation>
    </message>
    <message>
        <source>by size</source>
        <translation>nach Größe</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>The device whose memory is shown</source>
        <translation>Das Gerät, dessen Speicher gezeigt wird</translation>
    </message>
    <message>
        <source>Who holds the memory</source>
        <translation>Wer den Speicher hält</translation>
    </message>
    <message>
        <source>The chosen block and its stack</source>
        <translation>Der gewählte Block und sein Aufrufstapel</translation>
    </message>
    <message>
        <source>cuda:%1</source>
        <translation>cuda:%1</translation>
    </message>
    <message>
        <source>imported: nothing of it runs</source>
        <translation>importiert: Nichts davon läuft</translation>
    </message>
    <message>
        <source>peak %1 behind entry %2 of %3</source>
        <translation>Spitze %1 nach Eintrag %2 von %3</translation>
    </message>
    <message>
        <source> (after %1)</source>
        <translation> (nach %1)</translation>
    </message>
    <message>
        <source>, %1 % of it held by %2</source>
        <translation>, davon %1 % bei %2</translation>
    </message>
    <message>
        <source>out of memory %1</source>
        <translation>Speicher voll: %1</translation>
    </message>
    <message>
        <source>at the peak</source>
        <translation>an der Spitze</translation>
    </message>
    <message>
        <source>behind entry %1</source>
        <translation>nach Eintrag %1</translation>
    </message>
    <message>
        <source>%1: %2, %3 reserved, %4 free, largest hole %5</source>
        <translation>%1: %2, %3 reserviert, %4 frei, größtes Loch %5</translation>
    </message>
    <message>
        <source>at the peaks: A %1, B %2</source>
        <translation>an den Spitzen: A %1, B %2</translation>
    </message>
    <message>
        <source>%1: %2 active</source>
        <translation>%1: %2 aktiv</translation>
    </message>
    <message>
        <source>the largest of these blocks was allocated in</source>
        <translation>der größte dieser Blöcke wurde belegt in</translation>
    </message>
</context>
<context>
    <name>loupe::views::SourceView</name>
    <message>
        <source>Differs from the reference</source>
        <translation>Weicht von der Referenz ab</translation>
    </message>
    <message>
        <source>Beside the reference</source>
        <translation>Neben der Referenz</translation>
    </message>
    <message>
        <source>this model has no source</source>
        <translation>dieses Modell hat keinen Quelltext</translation>
    </message>
    <message>
        <source>%1 has no file like %2</source>
        <translation>%1 hat keine Datei wie %2</translation>
    </message>
    <message>
        <source>this run, edited</source>
        <translation>dieser Lauf, geändert</translation>
    </message>
    <message>
        <source>this run</source>
        <translation>dieser Lauf</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelltext</translation>
    </message>
    <message>
        <source>The code of the model. The current event&apos;s line is marked; click in the margin to break at a line, on a line to go to its event.</source>
        <translation>Der Code des Modells. Die Zeile des aktuellen Ereignisses ist markiert; ein Klick in den Rand setzt einen Haltepunkt, einer auf eine Zeile geht zu ihrem Ereignis.</translation>
    </message>
    <message>
        <source>Source file</source>
        <translation>Quelltextdatei</translation>
    </message>
    <message>
        <source>Save and run again</source>
        <translation>Speichern und ausführen</translation>
    </message>
    <message>
        <source>Writes the file and runs the model as it is now (Ctrl+Return)</source>
        <translation>Schreibt die Datei und führt das Modell aus, wie es jetzt ist (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>The source of the pinned run on the left, this one&apos;s on the right</source>
        <translation>Links der Quelltext des angehefteten Laufs, rechts der dieses Laufs</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Find in the source</source>
        <translation>Im Quelltext suchen</translation>
    </message>
    <message>
        <source>Continue with the edit</source>
        <translation>Mit der Änderung fortfahren</translation>
    </message>
    <message>
        <source>Writes the file; the run that is parked or has failed goes on with it from the start of the function that changed (Ctrl+Shift+Return)</source>
        <translation>Schreibt die Datei; der angehaltene oder fehlgeschlagene Lauf geht damit weiter, ab dem Anfang der geänderten Funktion (Strg+Umschalt+Eingabe)</translation>
    </message>
    <message>
        <source>⚠ not in the trace: %1</source>
        <translation>⚠ nicht im Trace: %1</translation>
    </message>
    <message>
        <source>edited</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>library code</source>
        <translation>Bibliothekscode</translation>
    </message>
    <message>
        <source>your source</source>
        <translation>Ihr Quelltext</translation>
    </message>
    <message>
        <source>code in the archive</source>
        <translation>Code im Archiv</translation>
    </message>
    <message>
        <source>Ctrl+Return writes the file and runs the model again</source>
        <translation>Strg+Eingabe schreibt die Datei und führt das Modell erneut aus</translation>
    </message>
    <message>
        <source>The file as the model was opened from it; it can be edited here</source>
        <translation>Die Datei, wie das Modell aus ihr geöffnet wurde; sie lässt sich hier bearbeiten</translation>
    </message>
    <message>
        <source>The lines that the file&apos;s debug records remember</source>
        <translation>Die Zeilen, an die sich die Debug-Einträge der Datei erinnern</translation>
    </message>
    <message>
        <source>TorchScript as the file contains it</source>
        <translation>TorchScript, wie die Datei es enthält</translation>
    </message>
    <message>
        <source>Hide the arguments of the model</source>
        <translation>Argumente des Modells verbergen</translation>
    </message>
    <message>
        <source>Build with other arguments…</source>
        <translation>Mit anderen Argumenten bauen…</translation>
    </message>
    <message>
        <source>Toggle breakpoint at the line</source>
        <translation>Haltepunkt auf der Zeile umschalten</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Größerer Text</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Kleinerer Text</translation>
    </message>
</context>
<context>
    <name>loupe::views::StepMap</name>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>norms of gradients</source>
        <translation>Normen der Gradienten</translation>
    </message>
    <message>
        <source>norms of updates</source>
        <translation>Normen der Updates</translation>
    </message>
    <message>
        <source>updates / weights</source>
        <translation>Updates / Gewichte</translation>
    </message>
    <message>
        <source>norms of weights</source>
        <translation>Normen der Gewichte</translation>
    </message>
    <message>
        <source>What is drawn over the steps</source>
        <translation>Was über die Schritte gezeichnet wird</translation>
    </message>
    <message>
        <source>Histograms of the steps that were recorded whole, or norms of every parameter at every step</source>
        <translation>Histogramme der ganz aufgezeichneten Schritte, oder Normen jedes Parameters bei jedem Schritt</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Tensors over steps</source>
        <translation>Tensoren über die Schritte</translation>
    </message>
    <message>
        <source>every step was recorded</source>
        <translation>jeder Schritt wurde aufgezeichnet</translation>
    </message>
    <message>
        <source>%1 of %2 steps recorded (▼), each drawn until the next</source>
        <translation>%1 von %2 Schritten aufgezeichnet (▼), jeder bis zum nächsten gezeichnet</translation>
    </message>
    <message>
        <source>last:</source>
        <translation>letzter:</translation>
    </message>
    <message>
        <source>mean %1   std %2   |max| %3</source>
        <translation>Mittel %1   Std %2   |max| %3</translation>
    </message>
    <message>
        <source>zeros %1 %</source>
        <translation>Nullen %1 %</translation>
    </message>
    <message>
        <source>no norms: these steps are of a checkpoint</source>
        <translation>keine Normen: Diese Schritte stammen aus einem Checkpoint</translation>
    </message>
    <message>
        <source>%1 … %2, 0 grey, NaN and Inf red</source>
        <translation>%1 … %2, 0 grau, NaN und Inf rot</translation>
    </message>
    <message>
        <source>every step</source>
        <translation>jeder Schritt</translation>
    </message>
    <message>
        <source>all of %1, the greatest of each column</source>
        <translation>insgesamt %1, das Größte jeder Spalte</translation>
    </message>
    <message>
        <source>; behind step %1 one norm is kept for %2 steps, the greatest</source>
        <translation>; nach Schritt %1 wird für je %2 Schritte eine Norm behalten, die größte</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>step %1; the histogram is of step %2</source>
        <translation>Schritt %1; das Histogramm ist von Schritt %2</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>step %1, %2
gradient %3, update %4, weights %5</source>
        <translation>Schritt %1, %2
Gradient %3, Update %4, Gewichte %5</translation>
    </message>
    <message>
        <source>Click: run this step again, and look inside</source>
        <translation>Klick: diesen Schritt erneut ausführen und hineinsehen</translation>
    </message>
</context>
<context>
    <name>loupe::views::StepTable</name>
    <message>
        <source>The run that gave this token is the one that all panels show</source>
        <translation>Der Lauf, der dieses Token ergab, ist der, den alle Panels zeigen</translation>
    </message>
    <message>
        <source>A double click shows the run that gave this token in all panels</source>
        <translation>Ein Doppelklick zeigt den Lauf, der dieses Token ergab, in allen Panels</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>p</source>
        <translation>p</translation>
    </message>
    <message>
        <source>p of model</source>
        <translation>p des Modells</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Entropy</source>
        <translation>Entropie</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Its probability among the tokens that the settings left to choose from</source>
        <translation>Seine Wahrscheinlichkeit unter den Tokens, die die Einstellungen zur Wahl ließen</translation>
    </message>
    <message>
        <source>Its probability as the model has it, before temperature and the like</source>
        <translation>Seine Wahrscheinlichkeit nach dem Modell, vor Temperatur und dergleichen</translation>
    </message>
    <message>
        <source>Its place by the model&apos;s scores, 1 for the likeliest</source>
        <translation>Sein Platz nach den Scores des Modells, 1 für das wahrscheinlichste</translation>
    </message>
    <message>
        <source>How many tokens the settings left to choose from</source>
        <translation>Wie viele Tokens die Einstellungen zur Wahl ließen</translation>
    </message>
    <message>
        <source>Of the model&apos;s probabilities, in nats</source>
        <translation>Der Wahrscheinlichkeiten des Modells, in nats</translation>
    </message>
    <message>
        <source>Of its run: of one that was recorded, the recording included</source>
        <translation>Seines Laufs: bei einem aufgezeichneten samt der Aufzeichnung</translation>
    </message>
    <message>
        <source>Keys and values of all layers behind it</source>
        <translation>Keys und Values aller Schichten nach ihm</translation>
    </message>
</context>
<context>
    <name>loupe::views::StudiesView</name>
    <message>
        <source>Studies</source>
        <translation>Studien</translation>
    </message>
    <message>
        <source>Studies of the model: which pixels or tokens matter for an output, where a convolution looks, what each layer would say. Choose one, set its options, and run it: the model runs beside the run that is shown.</source>
        <translation>Studien des Modells: welche Pixel oder Tokens für eine Ausgabe zählen, wohin eine Faltung schaut, was jede Schicht sagen würde. Wählen Sie eine, stellen Sie ihre Optionen ein und führen Sie sie aus: Das Modell läuft neben dem Lauf, der gezeigt wird.</translation>
    </message>
    <message>
        <source>Progress of the study</source>
        <translation>Fortschritt der Studie</translation>
    </message>
    <message>
        <source>%1
Does not fit this model: %2</source>
        <translation>%1
Passt nicht zu diesem Modell: %2</translation>
    </message>
    <message>
        <source>Does not fit this model: %1.</source>
        <translation>Passt nicht zu diesem Modell: %1.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Open its panel</source>
        <translation>Sein Panel öffnen</translation>
    </message>
    <message>
        <source>Run study</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>no study is chosen</source>
        <translation>keine Studie ist gewählt</translation>
    </message>
    <message>
        <source>a run is under way; stop it first</source>
        <translation>ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Ends the study</source>
        <translation>Beendet die Studie</translation>
    </message>
    <message>
        <source>Runs the model, beside the run that is shown</source>
        <translation>Führt das Modell aus, neben dem Lauf, der gezeigt wird</translation>
    </message>
    <message>
        <source>Open a model: what can be studied of it is listed here.</source>
        <translation>Öffnen Sie ein Modell: Was sich an ihm untersuchen lässt, wird hier aufgeführt.</translation>
    </message>
    <message>
        <source>Choose a study and run it.</source>
        <translation>Wählen Sie eine Studie und führen Sie sie aus.</translation>
    </message>
    <message>
        <source>%1 %2 of %3</source>
        <translation>%1 %2 von %3</translation>
    </message>
    <message>
        <source>%1 has not run: run the model (F5) to look at its output in Tensor</source>
        <translation>%1 ist nicht gelaufen: Führen Sie das Modell aus (F5), um seine Ausgabe in Tensor zu sehen</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Pictures (*.png *.svg *.pdf)</source>
        <translation>Bilder (*.png *.svg *.pdf)</translation>
    </message>
    <message>
        <source>Save the numbers</source>
        <translation>Zahlen speichern</translation>
    </message>
    <message>
        <source>NumPy archives (*.npz)</source>
        <translation>NumPy-Archive (*.npz)</translation>
    </message>
    <message>
        <source>Save picture of the study...</source>
        <translation>Bild der Studie speichern...</translation>
    </message>
    <message>
        <source>Run the study and save its numbers as .npz...</source>
        <translation>Studie ausführen und ihre Zahlen als .npz speichern...</translation>
    </message>
    <message>
        <source>Copy what the study says</source>
        <translation>Kopieren, was die Studie sagt</translation>
    </message>
</context>
<context>
    <name>loupe::views::StudyForm</name>
    <message>
        <source>the greatest</source>
        <translation>die größte</translation>
    </message>
    <message>
        <source>found by itself</source>
        <translation>wird selbst gefunden</translation>
    </message>
</context>
<context>
    <name>loupe::views::StudyMapPicture</name>
    <message>
        <source>Map over the input</source>
        <translation>Karte über der Eingabe</translation>
    </message>
    <message>
        <source>[%1, %2]: %3</source>
        <translation>[%1, %2]: %3</translation>
    </message>
</context>
<context>
    <name>loupe::views::StudyPages</name>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>Strength of the map over the input</source>
        <translation>Deckkraft der Karte über der Eingabe</translation>
    </message>
    <message>
        <source>How strongly the map lies over the input</source>
        <translation>Wie kräftig die Karte über der Eingabe liegt</translation>
    </message>
    <message>
        <source>#%1: %2</source>
        <translation>#%1: %2</translation>
    </message>
    <message>
        <source>channel %1: activity %2, colours from %3 to %4; a click shows this channel in Tensor</source>
        <translation>Kanal %1: Aktivität %2, Farben von %3 bis %4; ein Klick zeigt diesen Kanal in Tensor</translation>
    </message>
    <message>
        <source>channel %1: activity %2, from %3 to %4</source>
        <translation>Kanal %1: Aktivität %2, von %3 bis %4</translation>
    </message>
    <message>
        <source>Find by name</source>
        <translation>Nach Namen suchen</translation>
    </message>
    <message>
        <source>Find points by name</source>
        <translation>Punkte nach Namen suchen</translation>
    </message>
    <message>
        <source>Colour: %1</source>
        <translation>Farbe: %1</translation>
    </message>
    <message>
        <source>The wheel zooms, the mouse drags, a double click shows all</source>
        <translation>Das Mausrad zoomt, Ziehen verschiebt, ein Doppelklick zeigt alles</translation>
    </message>
</context>
<context>
    <name>loupe::views::TensorPicture</name>
    <message>
        <source>Picture of the tensor</source>
        <translation>Bild des Tensors</translation>
    </message>
    <message>
        <source>first %1 of %2 rows</source>
        <translation>die ersten %1 von %2 Zeilen</translation>
    </message>
</context>
<context>
    <name>loupe::views::TensorView</name>
    <message>
        <source>elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>min, max</source>
        <translation>min, max</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>std</source>
        <translation>Std</translation>
    </message>
    <message>
        <source>mean |x|, max |x|</source>
        <translation>Mittel |x|, max |x|</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>Inf</source>
        <translation>Inf</translation>
    </message>
    <message>
        <source>strides</source>
        <translation>Strides</translation>
    </message>
    <message>
        <source>storage</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>recomputed</source>
        <translation>neu berechnet</translation>
    </message>
    <message>
        <source>the elements had been dropped; the run was repeated up to them</source>
        <translation>die Elemente waren verworfen; der Lauf wurde bis zu ihnen wiederholt</translation>
    </message>
    <message>
        <source>shared with</source>
        <translation>geteilt mit</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
    <message>
        <source>%1, before the run</source>
        <translation>%1, vor dem Lauf</translation>
    </message>
    <message>
        <source>origin</source>
        <translation>Ursprung</translation>
    </message>
    <message>
        <source>How often values occur, from %1 to %2 (height: square root of the count)</source>
        <translation>Wie oft Werte vorkommen, von %1 bis %2 (Höhe: Quadratwurzel der Anzahl)</translation>
    </message>
    <message>
        <source>Which tensor of the current event</source>
        <translation>Welcher Tensor des aktuellen Ereignisses</translation>
    </message>
    <message>
        <source>Tensor to show</source>
        <translation>Gezeigter Tensor</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>Sperren</translation>
    </message>
    <message>
        <source>Keep showing this tensor when another event becomes current</source>
        <translation>Diesen Tensor weiter zeigen, wenn ein anderes Ereignis aktuell wird</translation>
    </message>
    <message>
        <source>slice: [0, :, 3]</source>
        <translation>Slice: [0, :, 3]</translation>
    </message>
    <message>
        <source>Python&apos;s slicing of the tensor; the last two dimensions that stay are rows and columns (Ctrl+F)</source>
        <translation>Slicing des Tensors wie in Python; die letzten zwei verbliebenen Dimensionen sind Zeilen und Spalten (Strg+F)</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Ausschnitt</translation>
    </message>
    <message>
        <source>permute: 1, 0</source>
        <translation>Permute: 1, 0</translation>
    </message>
    <message>
        <source>Order of the dimensions that slicing leaves</source>
        <translation>Reihenfolge der Dimensionen, die das Slicing übrig lässt</translation>
    </message>
    <message>
        <source>Permute</source>
        <translation>Permutieren</translation>
    </message>
    <message>
        <source>Display</source>
        <translation>Anzeige</translation>
    </message>
    <message>
        <source>How the elements are shown</source>
        <translation>Wie die Elemente gezeigt werden</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Heatmap</translation>
    </message>
    <message>
        <source>Tiles</source>
        <translation>Kacheln</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Linie</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>Which of the leading dimensions</source>
        <translation>Welche der führenden Dimensionen</translation>
    </message>
    <message>
        <source>Tile</source>
        <translation>Kachel</translation>
    </message>
    <message>
        <source>Colour map</source>
        <translation>Farbskala</translation>
    </message>
    <message>
        <source>Lowest value of the colours</source>
        <translation>Kleinster Wert der Farben</translation>
    </message>
    <message>
        <source>Highest value of the colours</source>
        <translation>Größter Wert der Farben</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>Range from the least to the greatest element shown</source>
        <translation>Bereich vom kleinsten bis zum größten gezeigten Element</translation>
    </message>
    <message>
        <source>NaN/Inf</source>
        <translation>NaN/Inf</translation>
    </message>
    <message>
        <source>Mark NaN in magenta and Inf in orange</source>
        <translation>NaN in Magenta und Inf in Orange markieren</translation>
    </message>
    <message>
        <source>Histogram of the elements</source>
        <translation>Histogramm der Elemente</translation>
    </message>
    <message>
        <source>Statistics and storage</source>
        <translation>Statistik und Speicher</translation>
    </message>
    <message>
        <source>History of the storage</source>
        <translation>Verlauf des Speichers</translation>
    </message>
    <message>
        <source>Events that wrote (W) and read (R) the bytes of this tensor</source>
        <translation>Ereignisse, die die Bytes dieses Tensors schrieben (W) und lasen (R)</translation>
    </message>
    <message>
        <source>Events that read or wrote this storage</source>
        <translation>Ereignisse, die diesen Speicher lasen oder schrieben</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>The elements of one tensor: what the current event read or made, a parameter or a gradient, as numbers or as a picture. Slice it as in Python; lock the panel to keep a value while you go on.</source>
        <translation>Die Elemente eines Tensors: was das aktuelle Ereignis las oder erzeugte, ein Parameter oder ein Gradient, als Zahlen oder als Bild. Schneiden Sie ihn zu wie in Python; sperren Sie das Panel, um einen Wert zu behalten, während Sie weitergehen.</translation>
    </message>
    <message>
        <source>Elements of the tensor</source>
        <translation>Elemente des Tensors</translation>
    </message>
    <message>
        <source>of #%1</source>
        <translation>von #%1</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>Gradient</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>forward output</source>
        <translation>Ausgabe vorwärts</translation>
    </message>
    <message>
        <source>parameter  %1  %2</source>
        <translation>Parameter  %1  %2</translation>
    </message>
    <message>
        <source>gradient of %1</source>
        <translation>Gradient von %1</translation>
    </message>
    <message>
        <source>buffer  %1  %2</source>
        <translation>Puffer  %1  %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Select an event, a value, a parameter or a module.</source>
        <translation>Wählen Sie ein Ereignis, einen Wert, einen Parameter oder ein Modul.</translation>
    </message>
    <message>
        <source>Run the model (F5) to have values to look at,
or select a module with parameters.</source>
        <translation>Führen Sie das Modell aus (F5), um Werte zu sehen,
oder wählen Sie ein Modul mit Parametern.</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>from %1: %2</source>
        <translation>von %1: %2</translation>
    </message>
    <message>
        <source>not compared: %1</source>
        <translation>nicht verglichen: %1</translation>
    </message>
    <message>
        <source>no tensor is shown</source>
        <translation>kein Tensor wird gezeigt</translation>
    </message>
    <message>
        <source>Save tensor as .npy...</source>
        <translation>Tensor als .npy speichern...</translation>
    </message>
    <message>
        <source>Save picture of tensor as .png...</source>
        <translation>Bild des Tensors als .png speichern...</translation>
    </message>
    <message>
        <source>Save histogram of tensor...</source>
        <translation>Histogramm des Tensors speichern...</translation>
    </message>
    <message>
        <source>Copy the numbers shown</source>
        <translation>Gezeigte Zahlen kopieren</translation>
    </message>
    <message>
        <source>Copy statistics of tensor</source>
        <translation>Statistik des Tensors kopieren</translation>
    </message>
    <message>
        <source>Go to the origin of this NaN or Inf</source>
        <translation>Zum Ursprung dieses NaN oder Inf gehen</translation>
    </message>
    <message>
        <source>Lock tensor panel</source>
        <translation>Tensor-Panel sperren</translation>
    </message>
    <message>
        <source>Save tensor</source>
        <translation>Tensor speichern</translation>
    </message>
    <message>
        <source>NumPy array (*.npy)</source>
        <translation>NumPy-Array (*.npy)</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>Bild (*.png)</translation>
    </message>
    <message>
        <source>#%1, offset %2</source>
        <translation>#%1, Offset %2</translation>
    </message>
</context>
<context>
    <name>loupe::views::TextDiff</name>
    <message>
        <source>Text of the reference</source>
        <translation>Text der Referenz</translation>
    </message>
    <message>
        <source>Text of this run</source>
        <translation>Text dieses Laufs</translation>
    </message>
    <message>
        <source>Previous difference (Alt+Up)</source>
        <translation>Voriger Unterschied (Alt+Auf)</translation>
    </message>
    <message>
        <source>Next difference (Alt+Down)</source>
        <translation>Nächster Unterschied (Alt+Ab)</translation>
    </message>
</context>
<context>
    <name>loupe::views::TextView</name>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>A text as the model&apos;s tokens, and what the model holds likely at each place: words with their probabilities, the rank of the word that comes, and which tokens speak for one of them.</source>
        <translation>Ein Text als Tokens des Modells, und was das Modell an jeder Stelle für wahrscheinlich hält: Wörter mit ihren Wahrscheinlichkeiten, der Rang des Worts, das folgt, und welche Tokens für eines sprechen.</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Show the tokens without numbers</source>
        <translation>Tokens ohne Zahlen zeigen</translation>
    </message>
    <message>
        <source>Type a text; Return runs the model on it, Shift+Return begins a line</source>
        <translation>Text eingeben; die Eingabetaste führt das Modell damit aus, Umschalt+Eingabe beginnt eine Zeile</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Which tokens</source>
        <translation>Welche Tokens</translation>
    </message>
    <message>
        <source>The tokens of the encoder, or those of the decoder</source>
        <translation>Die Tokens des Encoders oder die des Decoders</translation>
    </message>
    <message>
        <source>What the model holds likely, by place</source>
        <translation>Was das Modell für wahrscheinlich hält, je Stelle</translation>
    </message>
    <message>
        <source>The likeliest tokens of the place</source>
        <translation>Die wahrscheinlichsten Tokens der Stelle</translation>
    </message>
    <message>
        <source>Word</source>
        <translation>Wort</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Which tokens matter?</source>
        <translation>Welche Tokens zählen?</translation>
    </message>
    <message>
        <source>This run has no scores of this place.</source>
        <translation>Dieser Lauf hat keine Scores für diese Stelle.</translation>
    </message>
    <message>
        <source>At %1 (#%2)</source>
        <translation>Bei %1 (#%2)</translation>
    </message>
    <message>
        <source>After %1 (#%2)</source>
        <translation>Nach %1 (#%2)</translation>
    </message>
    <message>
        <source>: the logits hold NaN or Inf.</source>
        <translation>: Die Logits enthalten NaN oder Inf.</translation>
    </message>
    <message>
        <source>: entropy %1 of at most %2 nats</source>
        <translation>: Entropie %1 von höchstens %2 nats</translation>
    </message>
    <message>
        <source>; %1 %2, number %3 of %4</source>
        <translation>; %1 %2, Nummer %3 von %4</translation>
    </message>
    <message>
        <source>stands there</source>
        <translation>steht dort</translation>
    </message>
    <message>
        <source>comes</source>
        <translation>folgt</translation>
    </message>
    <message>
        <source>, with %1.</source>
        <translation>, mit %1.</translation>
    </message>
    <message>
        <source>running forward and backward…</source>
        <translation>läuft vorwärts und rückwärts…</translation>
    </message>
    <message>
        <source>Gradient × embedding of the logit of %1 (%2) at #%3: red speaks for it, blue against</source>
        <translation>Gradient × Embedding des Logits von %1 (%2) bei #%3: Rot spricht dafür, Blau dagegen</translation>
    </message>
    <message>
        <source>Not now: no model is open</source>
        <translation>Nicht jetzt: Kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>Not now: the model has no tokenizer; the Inputs panel feeds it</source>
        <translation>Nicht jetzt: Das Modell hat keinen Tokenizer; das Panel Eingaben speist es</translation>
    </message>
    <message>
        <source>Not now: a run is under way; stop it first</source>
        <translation>Nicht jetzt: Ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Run the model on this text (Return)</source>
        <translation>Das Modell mit diesem Text ausführen (Eingabetaste)</translation>
    </message>
    <message>
        <source>Not now: choose a word of a run</source>
        <translation>Nicht jetzt: Wählen Sie ein Wort eines Laufs</translation>
    </message>
    <message>
        <source>Colour the tokens by what they add to the logit of %1: the gradient at their embeddings, times the embeddings</source>
        <translation>Färbt die Tokens nach ihrem Beitrag zum Logit von %1: der Gradient bei ihren Embeddings, mal die Embeddings</translation>
    </message>
    <message>
        <source> of at most %1</source>
        <translation> von höchstens %1</translation>
    </message>
    <message>
        <source>, not run yet</source>
        <translation>, noch nicht gelaufen</translation>
    </message>
    <message>
        <source>; loss %1, perplexity %2 over %3</source>
        <translation>; Loss %1, Perplexität %2 über %3</translation>
    </message>
    <message>
        <source>; %1 of them in the cache</source>
        <translation>; %1 davon im Cache</translation>
    </message>
    <message>
        <source>Open a language model: a Hugging Face folder with config.json, weights and tokenizer.json.</source>
        <translation>Öffnen Sie ein Sprachmodell: einen Hugging-Face-Ordner mit config.json, Gewichten und tokenizer.json.</translation>
    </message>
    <message>
        <source>What the model holds likely at each place of the text is listed here when it has run.</source>
        <translation>Was das Modell an jeder Stelle des Textes für wahrscheinlich hält, wird hier aufgeführt, wenn er gelaufen ist.</translation>
    </message>
    <message>
        <source>This model was run on no tokens.</source>
        <translation>Dieses Modell lief mit keinen Tokens.</translation>
    </message>
    <message>
        <source>Nothing to run: %1.</source>
        <translation>Nichts auszuführen: %1.</translation>
    </message>
    <message>
        <source>Where the model looks up tokens, they are shown here once it has run (F5).</source>
        <translation>Wo das Modell Tokens nachschlägt, werden sie hier gezeigt, sobald es gelaufen ist (F5).</translation>
    </message>
    <message>
        <source>No text: %1.
%2</source>
        <translation>Kein Text: %1.
%2</translation>
    </message>
    <message>
        <source>Copy the tokens with their ids</source>
        <translation>Tokens mit ihren IDs kopieren</translation>
    </message>
    <message>
        <source>Which tokens matter for the chosen word</source>
        <translation>Welche Tokens für das gewählte Wort zählen</translation>
    </message>
</context>
<context>
    <name>loupe::views::Theme</name>
    <message>
        <source>convolution</source>
        <translation>Faltung</translation>
    </message>
    <message>
        <source>matrix product</source>
        <translation>Matrixprodukt</translation>
    </message>
    <message>
        <source>normalisation</source>
        <translation>Normalisierung</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>pool, reduce</source>
        <translation>Pooling, Reduktion</translation>
    </message>
    <message>
        <source>embedding, dropout</source>
        <translation>Embedding, Dropout</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>Arithmetik</translation>
    </message>
    <message>
        <source>other</source>
        <translation>sonstiges</translation>
    </message>
</context>
<context>
    <name>loupe::views::TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>Zeitachse</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>Operatoren</translation>
    </message>
    <message>
        <source>Flame graph</source>
        <translation>Flame-Graph</translation>
    </message>
    <message>
        <source>On the time axis</source>
        <translation>Auf der Zeitachse</translation>
    </message>
    <message>
        <source>Each operator over all its calls: count, total, median, p95, histogram; two runs or traces compared</source>
        <translation>Jeder Operator über alle seine Aufrufe: Anzahl, Summe, Median, p95, Histogramm; zwei Läufe oder Traces im Vergleich</translation>
    </message>
    <message>
        <source>Call stacks, equal ones merged, as wide as they took</source>
        <translation>Aufrufstapel, gleiche zusammengefasst, so breit wie ihre Dauer</translation>
    </message>
    <message>
        <source>All ranks</source>
        <translation>Alle Ränge</translation>
    </message>
    <message>
        <source>A lane a rank, with who waited for whom in collectives</source>
        <translation>Eine Spur je Rang, und wer in Kollektivoperationen auf wen wartete</translation>
    </message>
    <message>
        <source>What is shown</source>
        <translation>Was gezeigt wird</translation>
    </message>
    <message>
        <source>The run, or a trace of PyTorch&apos;s profiler that was opened</source>
        <translation>Der Lauf oder ein geöffneter Trace des PyTorch-Profilers</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>Verglichen mit</translation>
    </message>
    <message>
        <source>Operators and call stacks are held against those of another run or trace</source>
        <translation>Operatoren und Aufrufstapel werden mit denen eines anderen Laufs oder Traces verglichen</translation>
    </message>
    <message>
        <source>Search names</source>
        <translation>Namen suchen</translation>
    </message>
    <message>
        <source>Search in the trace</source>
        <translation>Im Trace suchen</translation>
    </message>
    <message>
        <source>Keep run</source>
        <translation>Lauf behalten</translation>
    </message>
    <message>
        <source>Keeps this run, so that later ones can be compared with it here</source>
        <translation>Behält diesen Lauf, damit spätere hier mit ihm verglichen werden können</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Closes the trace</source>
        <translation>Schließt den Trace</translation>
    </message>
    <message>
        <source>compare with…</source>
        <translation>vergleichen mit…</translation>
    </message>
    <message>
        <source>with this run</source>
        <translation>mit diesem Lauf</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>Dieser Lauf</translation>
    </message>
    <message>
        <source>with %1</source>
        <translation>mit %1</translation>
    </message>
    <message>
        <source>with a recorded run or a trace…</source>
        <translation>mit einem aufgezeichneten Lauf oder Trace…</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>Recorded runs and traces (*.loupe *.json *.json.gz *.gz);;All files (*)</source>
        <translation>Aufgezeichnete Läufe und Traces (*.loupe *.json *.json.gz *.gz);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>nothing recorded yet: run the model (F5)</source>
        <translation>noch nichts aufgezeichnet: Führen Sie das Modell aus (F5)</translation>
    </message>
    <message>
        <source>A: %1   B: %2</source>
        <translation>A: %1   B: %2</translation>
    </message>
    <message>
        <source>Operators, module calls and memory over time. The wheel zooms, dragging moves, Shift and dragging selects a stretch and counts what is in it; a click makes an event current. Traces of PyTorch&apos;s profiler that are opened are shown here too: as they were recorded, beside the model.</source>
        <translation>Operatoren, Modulaufrufe und Speicher über die Zeit. Das Mausrad zoomt, Ziehen verschiebt, Umschalt und Ziehen wählt einen Abschnitt und zählt, was darin ist; ein Klick macht ein Ereignis aktuell. Geöffnete Traces des PyTorch-Profilers werden auch hier gezeigt: wie aufgezeichnet, neben dem Modell.</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>While the model runs, keep its newest events in sight</source>
        <translation>Solange das Modell läuft, seine neuesten Ereignisse im Blick behalten</translation>
    </message>
    <message>
        <source>Warm</source>
        <translation>Warm</translation>
    </message>
    <message>
        <source>Laid out by the medians of warm runs; else by what this run took</source>
        <translation>Nach den Medianen warmer Läufe angeordnet; sonst nach dem, was dieser Lauf brauchte</translation>
    </message>
    <message>
        <source>Timeline of the run</source>
        <translation>Zeitachse des Laufs</translation>
    </message>
    <message>
        <source>timing…</source>
        <translation>misst…</translation>
    </message>
    <message>
        <source>Time it</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Time it properly: repeats the run warm, and lays operators out by their medians</source>
        <translation>Genau messen: wiederholt den Lauf warm und ordnet Operatoren nach ihren Medianen an</translation>
    </message>
    <message>
        <source>%1
Not now: %2</source>
        <translation>%1
Nicht jetzt: %2</translation>
    </message>
    <message>
        <source>Show all of the timeline	Space</source>
        <translation>Die ganze Zeitachse zeigen	Leertaste</translation>
    </message>
    <message>
        <source>Zoom timeline to current event</source>
        <translation>Zeitachse auf das aktuelle Ereignis zoomen</translation>
    </message>
    <message>
        <source>Time it properly</source>
        <translation>Genau messen</translation>
    </message>
    <message>
        <source>Copy operators as CSV</source>
        <translation>Operatoren als CSV kopieren</translation>
    </message>
    <message>
        <source>Clear selected stretch</source>
        <translation>Ausgewählten Abschnitt aufheben</translation>
    </message>
</context>
<context>
    <name>loupe::views::TokenChips</name>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>#%1: %2</source>
        <translation>#%1: %2</translation>
    </message>
    <message>
        <source>gradient × embedding %1</source>
        <translation>Gradient × Embedding %1</translation>
    </message>
</context>
<context>
    <name>loupe::views::TotalsHistogram</name>
    <message>
        <source>Calls of the operator by duration</source>
        <translation>Aufrufe des Operators nach Dauer</translation>
    </message>
    <message>
        <source>Select an operator</source>
        <translation>Wählen Sie einen Operator</translation>
    </message>
    <message>
        <source>%1 by duration</source>
        <translation>%1 nach Dauer</translation>
    </message>
    <message>
        <source>%1 between %2 and %3</source>
        <translation>%1 zwischen %2 und %3</translation>
    </message>
</context>
<context>
    <name>loupe::views::TotalsModel</name>
    <message>
        <source>Operator</source>
        <translation>Operator</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>Self</source>
        <translation>Selbst</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>Min</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Max</translation>
    </message>
    <message>
        <source>Calls A</source>
        <translation>Aufrufe A</translation>
    </message>
    <message>
        <source>Calls B</source>
        <translation>Aufrufe B</translation>
    </message>
    <message>
        <source>Total A</source>
        <translation>Summe A</translation>
    </message>
    <message>
        <source>Total B</source>
        <translation>Summe B</translation>
    </message>
    <message>
        <source>B / A</source>
        <translation>B / A</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>Without what it called</source>
        <translation>Ohne das, was er aufrief</translation>
    </message>
</context>
<context>
    <name>loupe::views::TraceCanvas</name>
    <message>
        <source>Timeline of the trace</source>
        <translation>Zeitachse des Traces</translation>
    </message>
</context>
<context>
    <name>loupe::views::TracePane</name>
    <message>
        <source>Call stacks whose own time differs most</source>
        <translation>Aufrufstapel, deren eigene Zeit am stärksten abweicht</translation>
    </message>
    <message>
        <source>The selected event</source>
        <translation>Das ausgewählte Ereignis</translation>
    </message>
    <message>
        <source>Operators over all their calls</source>
        <translation>Operatoren über alle ihre Aufrufe</translation>
    </message>
    <message>
        <source>category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>track</source>
        <translation>Spur</translation>
    </message>
    <message>
        <source>begins at</source>
        <translation>beginnt bei</translation>
    </message>
    <message>
        <source>takes</source>
        <translation>dauert</translation>
    </message>
    <message>
        <source>inside</source>
        <translation>in</translation>
    </message>
    <message>
        <source>%1 to</source>
        <translation>%1 nach</translation>
    </message>
    <message>
        <source>%1 from</source>
        <translation>%1 von</translation>
    </message>
</context>
<context>
    <name>loupe::views::TrainForm</name>
    <message>
        <source>Held out</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>Kept aside and measured after every epoch</source>
        <translation>Beiseitegelegt und nach jeder Epoche gemessen</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>shuffle</source>
        <translation>mischen</translation>
    </message>
    <message>
        <source>Another order every epoch, drawn from the seed as PyTorch draws it</source>
        <translation>Jede Epoche eine andere Reihenfolge, aus dem Seed gezogen, wie PyTorch sie zieht</translation>
    </message>
    <message>
        <source>drop the last batch</source>
        <translation>letzten Batch weglassen</translation>
    </message>
    <message>
        <source>Leave it out when it is not full</source>
        <translation>Lässt ihn weg, wenn er nicht voll ist</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Threads that read and prepare batches ahead</source>
        <translation>Threads, die Batches vorab lesen und vorbereiten</translation>
    </message>
    <message>
        <source>skip damaged</source>
        <translation>Defekte überspringen</translation>
    </message>
    <message>
        <source>Examples that cannot be read are left out; else the training ends there</source>
        <translation>Nicht lesbare Beispiele werden weggelassen; sonst endet das Training dort</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>The source&apos;s function `loss`, a LightningModule&apos;s training_step, or what the model gives</source>
        <translation>Die Funktion `loss` des Quelltexts, der training_step eines LightningModule, oder was das Modell liefert</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>What configure_optimizers of a LightningModule gives</source>
        <translation>Was configure_optimizers eines LightningModule liefert</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Schedule</translation>
    </message>
    <message>
        <source>by step</source>
        <translation>je Schritt</translation>
    </message>
    <message>
        <source>The schedule counts steps, not epochs</source>
        <translation>Der Schedule zählt Schritte, nicht Epochen</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>Of the whole training: one that goes on counts those that it has done</source>
        <translation>Des ganzen Trainings: Ein fortgesetztes zählt die schon gemachten mit</translation>
    </message>
    <message>
        <source>Most steps</source>
        <translation>Max. Schritte</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>End after as many, whatever the epochs say</source>
        <translation>Endet nach so vielen, was die Epochen auch sagen</translation>
    </message>
    <message>
        <source>Clip gradients</source>
        <translation>Gradienten begrenzen</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>The greatest norm of all gradients together</source>
        <translation>Die größte Norm aller Gradienten zusammen</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>as the weights</source>
        <translation>wie die Gewichte</translation>
    </message>
    <message>
        <source>bfloat16 autocast</source>
        <translation>bfloat16 autocast</translation>
    </message>
    <message>
        <source>float16 autocast</source>
        <translation>float16 autocast</translation>
    </message>
    <message>
        <source>Mixed precision: forward and loss run under torch.autocast, weights and optimiser stay as they are. In float16 a GradScaler scales the loss.</source>
        <translation>Gemischte Genauigkeit: vorwärts und Loss laufen unter torch.autocast, Gewichte und Optimierer bleiben, wie sie sind. In float16 skaliert ein GradScaler den Loss.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Look every</source>
        <translation>Ansehen alle</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>So often a step is recorded whole, for every panel and the histograms; never for more than a tenth of the time</source>
        <translation>So oft wird ein Schritt ganz aufgezeichnet, für jedes Panel und die Histogramme; nie für mehr als ein Zehntel der Zeit</translation>
    </message>
    <message>
        <source>stop at NaN or Inf</source>
        <translation>Stopp bei NaN oder Inf</translation>
    </message>
    <message>
        <source>The step that meets one is undone, and repeated to find the operator where it began</source>
        <translation>Der Schritt, der auf eines trifft, wird rückgängig gemacht und wiederholt, um den Operator zu finden, bei dem es begann</translation>
    </message>
    <message>
        <source>Clip</source>
        <translation>Begrenzen</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Ansehen</translation>
    </message>
</context>
<context>
    <name>loupe::views::TrainPlots</name>
    <message>
        <source>log x</source>
        <translation>log x</translation>
    </message>
    <message>
        <source>Steps on a logarithmic axis: the first ones take most of the room</source>
        <translation>Schritte auf einer logarithmischen Achse: Die ersten nehmen den meisten Platz ein</translation>
    </message>
    <message>
        <source>log y</source>
        <translation>log y</translation>
    </message>
    <message>
        <source>Loss, learning rate and norms on logarithmic axes</source>
        <translation>Loss, Lernrate und Normen auf logarithmischen Achsen</translation>
    </message>
    <message>
        <source>Smoothing of the loss</source>
        <translation>Glättung des Loss</translation>
    </message>
    <message>
        <source>Smoothing: how much of the running mean stays at each step</source>
        <translation>Glättung: wie viel des laufenden Mittels bei jedem Schritt bleibt</translation>
    </message>
    <message>
        <source>Loss, accuracy, learning rate and gradient norm over steps</source>
        <translation>Loss, Genauigkeit, Lernrate und Gradientennorm über die Schritte</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>loss, smoothed</source>
        <translation>Loss, geglättet</translation>
    </message>
    <message>
        <source>loss, held out</source>
        <translation>Loss, zurückgehalten</translation>
    </message>
    <message>
        <source>accuracy, held out</source>
        <translation>Genauigkeit, zurückgehalten</translation>
    </message>
    <message>
        <source>found</source>
        <translation>gefunden</translation>
    </message>
    <message>
        <source>Over steps</source>
        <translation>Über Schritte</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Trainings</source>
        <translation>Trainings</translation>
    </message>
    <message>
        <source>Reported</source>
        <translation>Gemeldet</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was gefunden wurde</translation>
    </message>
    <message>
        <source>Click: the step is run again, to look inside</source>
        <translation>Klick: Der Schritt läuft erneut, zum Hineinsehen</translation>
    </message>
    <message>
        <source>step %1 &amp;nbsp; loss &lt;b&gt;%2&lt;/b&gt;</source>
        <translation>Schritt %1 &amp;nbsp; Loss &lt;b&gt;%2&lt;/b&gt;</translation>
    </message>
    <message>
        <source>, smoothed %1</source>
        <translation>, geglättet %1</translation>
    </message>
    <message>
        <source> &amp;nbsp; held out &lt;b&gt;%1 %&lt;/b&gt;</source>
        <translation> &amp;nbsp; zurückgehalten &lt;b&gt;%1 %&lt;/b&gt;</translation>
    </message>
    <message>
        <source> &amp;nbsp; accuracy &lt;b&gt;%1 %&lt;/b&gt;</source>
        <translation> &amp;nbsp; Genauigkeit &lt;b&gt;%1 %&lt;/b&gt;</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <translation>%1 je Schritt</translation>
    </message>
    <message>
        <source>step %1: %2</source>
        <translation>Schritt %1: %2</translation>
    </message>
    <message>
        <source> (until step %1)</source>
        <translation> (bis Schritt %1)</translation>
    </message>
    <message>
        <source>Found (%1)</source>
        <translation>Befunde (%1)</translation>
    </message>
    <message>
        <source>Nothing so far: no jump or plateau of the loss, no NaN, every parameter gets a gradient, no dead units.</source>
        <translation>Bisher nichts: kein Sprung oder Plateau des Loss, kein NaN, jeder Parameter bekommt einen Gradienten, keine toten Einheiten.</translation>
    </message>
    <message>
        <source>Choose data and press Train: loss, accuracy, learning rate and gradient norm are drawn here as the model learns</source>
        <translation>Wählen Sie Daten und drücken Sie Trainieren: Loss, Genauigkeit, Lernrate und Gradientennorm werden hier gezeichnet, während das Modell lernt</translation>
    </message>
    <message>
        <source>Trainings (%1)</source>
        <translation>Trainings (%1)</translation>
    </message>
    <message>
        <source>training %1</source>
        <translation>Training %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>, epoch %1</source>
        <translation>, Epoche %1</translation>
    </message>
    <message>
        <source>
loss %1</source>
        <translation>
Loss %1</translation>
    </message>
    <message>
        <source>, gradient norm %1</source>
        <translation>, Gradientennorm %1</translation>
    </message>
    <message>
        <source>, learning rate %1</source>
        <translation>, Lernrate %1</translation>
    </message>
    <message>
        <source>, accuracy %1 %</source>
        <translation>, Genauigkeit %1 %</translation>
    </message>
    <message>
        <source>Click: run this step again, and look inside</source>
        <translation>Klick: diesen Schritt erneut ausführen und hineinsehen</translation>
    </message>
</context>
<context>
    <name>loupe::views::TrainView</name>
    <message>
        <source>Train</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>Trains the model: data, loss, optimiser and schedule on the left, how it goes on the right. Pause stops inside a step, where every other panel shows it.</source>
        <translation>Trainiert das Modell: links Daten, Loss, Optimierer und Schedule, rechts, wie es läuft. Pause hält in einem Schritt an, wo jedes andere Panel ihn zeigt.</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Data, loss, optimiser and schedule, in place of the plots</source>
        <translation>Daten, Loss, Optimierer und Schedule, anstelle der Diagramme</translation>
    </message>
    <message>
        <source>Go on from here</source>
        <translation>Von hier weiter</translation>
    </message>
    <message>
        <source>Trains on from this step, with the settings as they are in the form, as a training of its own</source>
        <translation>Trainiert von diesem Schritt aus weiter, mit den Einstellungen des Formulars, als eigenes Training</translation>
    </message>
    <message>
        <source>Back to the end</source>
        <translation>Zurück zum Ende</translation>
    </message>
    <message>
        <source>Model, optimiser and random numbers as they were at the end of the training</source>
        <translation>Modell, Optimierer und Zufallszahlen, wie sie am Ende des Trainings waren</translation>
    </message>
    <message>
        <source>Not now: the program is not attached to</source>
        <translation>Nicht jetzt: Keine Verbindung zum Programm</translation>
    </message>
    <message>
        <source>The program trains on</source>
        <translation>Das Programm trainiert weiter</translation>
    </message>
    <message>
        <source>The program waits behind its next step, for every panel to look at</source>
        <translation>Das Programm wartet nach seinem nächsten Schritt, damit jedes Panel ihn ansehen kann</translation>
    </message>
    <message>
        <source>Leaves the program, which trains on; it can be attached to again</source>
        <translation>Trennt sich vom Programm, das weitertrainiert; man kann sich wieder damit verbinden</translation>
    </message>
    <message>
        <source>This training runs in another program: its steps cannot be run again here</source>
        <translation>Dieses Training läuft in einem anderen Programm: Seine Schritte können hier nicht erneut ausgeführt werden</translation>
    </message>
    <message>
        <source>Something runs: stop it first to run this step again</source>
        <translation>Etwas läuft: Stoppen Sie es zuerst, um diesen Schritt erneut auszuführen</translation>
    </message>
    <message>
        <source>Pause or stop the training first to look inside this step</source>
        <translation>Pausieren oder stoppen Sie zuerst das Training, um in diesen Schritt hineinzusehen</translation>
    </message>
    <message>
        <source>Inside step &lt;b&gt;%1&lt;/b&gt; of %2, run again.</source>
        <translation>In Schritt &lt;b&gt;%1&lt;/b&gt; von %2, erneut ausgeführt.</translation>
    </message>
    <message>
        <source>The model is as it was after step &lt;b&gt;%1&lt;/b&gt; of %2.</source>
        <translation>Das Modell ist, wie es nach Schritt &lt;b&gt;%1&lt;/b&gt; von %2 war.</translation>
    </message>
    <message>
        <source>Train from the model as it is</source>
        <translation>Vom jetzigen Modell aus trainieren</translation>
    </message>
    <message>
        <source>Re-initialise the model and train</source>
        <translation>Modell neu initialisieren und trainieren</translation>
    </message>
    <message>
        <source>Resume from a checkpoint…</source>
        <translation>Aus einem Checkpoint fortsetzen…</translation>
    </message>
    <message>
        <source>Weights…</source>
        <translation>Gewichte…</translation>
    </message>
    <message>
        <source>The model&apos;s parameters and buffers: .pt, .pth, .safetensors, .npz</source>
        <translation>Parameter und Puffer des Modells: .pt, .pth, .safetensors, .npz</translation>
    </message>
    <message>
        <source>Checkpoint of the training…</source>
        <translation>Checkpoint des Trainings…</translation>
    </message>
    <message>
        <source>%1 done (%2)</source>
        <translation>%1 gemacht (%2)</translation>
    </message>
    <message>
        <source>%1 of %2 done (%3)</source>
        <translation>%1 von %2 gemacht (%3)</translation>
    </message>
    <message>
        <source>, in the middle of epoch %1</source>
        <translation>, mitten in Epoche %1</translation>
    </message>
    <message>
        <source>%1, to step %2</source>
        <translation>%1, bis Schritt %2</translation>
    </message>
    <message>
        <source>%1, to the end of epoch %2</source>
        <translation>%1, bis zum Ende von Epoche %2</translation>
    </message>
    <message>
        <source>%1. Go on trains %2; Train begins a new training.</source>
        <translation>%1. Weiter trainiert %2; Trainieren beginnt ein neues Training.</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>Nicht jetzt: %1</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>something runs; stop it first</source>
        <translation>etwas läuft; stoppen Sie es zuerst</translation>
    </message>
    <message>
        <source>the model is at an earlier step; go on from there or back to the end</source>
        <translation>das Modell ist bei einem früheren Schritt; gehen Sie von dort weiter oder zurück zum Ende</translation>
    </message>
    <message>
        <source>Trains from the model as it is now, with a new optimiser</source>
        <translation>Trainiert vom jetzigen Modell aus, mit einem neuen Optimierer</translation>
    </message>
    <message>
        <source>More steps with the same optimiser and data. %1</source>
        <translation>Weitere Schritte mit demselben Optimierer und denselben Daten. %1</translation>
    </message>
    <message>
        <source>nothing was trained yet</source>
        <translation>noch wurde nichts trainiert</translation>
    </message>
    <message>
        <source>Goes on from inside the step</source>
        <translation>Geht aus dem Inneren des Schritts weiter</translation>
    </message>
    <message>
        <source>Stops inside the next step, for every panel to look at</source>
        <translation>Hält im nächsten Schritt an, damit jedes Panel ihn ansehen kann</translation>
    </message>
    <message>
        <source>nothing is being trained</source>
        <translation>nichts wird trainiert</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Ends the training; the model keeps what it has learned</source>
        <translation>Beendet das Training; das Modell behält, was es gelernt hat</translation>
    </message>
    <message>
        <source>Writes the weights as they are now, or the training with its optimiser</source>
        <translation>Schreibt die jetzigen Gewichte, oder das Training mit seinem Optimierer</translation>
    </message>
    <message>
        <source>Model, optimiser, schedule, epoch, step and random numbers, for torch.load and to go on from</source>
        <translation>Modell, Optimierer, Schedule, Epoche, Schritt und Zufallszahlen, für torch.load und zum Fortsetzen</translation>
    </message>
    <message>
        <source>Not now: nothing was trained yet</source>
        <translation>Nicht jetzt: Noch wurde nichts trainiert</translation>
    </message>
    <message>
        <source>inside step %1: %2</source>
        <translation>in Schritt %1: %2</translation>
    </message>
    <message>
        <source>Save weights</source>
        <translation>Gewichte speichern</translation>
    </message>
    <message>
        <source>Weights (*.pt *.pth *.safetensors *.npz)</source>
        <translation>Gewichte (*.pt *.pth *.safetensors *.npz)</translation>
    </message>
    <message>
        <source>Save the training</source>
        <translation>Training speichern</translation>
    </message>
    <message>
        <source>Checkpoints (*.pt *.pth)</source>
        <translation>Checkpoints (*.pt *.pth)</translation>
    </message>
    <message>
        <source>Go on with a training</source>
        <translation>Ein Training fortsetzen</translation>
    </message>
    <message>
        <source>Checkpoints (*.pt *.pth);;All files (*)</source>
        <translation>Checkpoints (*.pt *.pth);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>weights written to %1</source>
        <translation>Gewichte nach %1 geschrieben</translation>
    </message>
    <message>
        <source>the training was written to %1</source>
        <translation>das Training wurde nach %1 geschrieben</translation>
    </message>
    <message>
        <source>%1 of %2 done (%3); resuming trains %4 more, to the end of epoch %5</source>
        <translation>%1 von %2 gemacht (%3); Fortsetzen trainiert weitere %4, bis zum Ende von Epoche %5</translation>
    </message>
    <message>
        <source>Save: %1</source>
        <translation>Speichern: %1</translation>
    </message>
    <message>
        <source>Save the curves as picture or CSV…</source>
        <translation>Kurven als Bild oder CSV speichern…</translation>
    </message>
    <message>
        <source>The model was not trained.</source>
        <translation>Das Modell wurde nicht trainiert.</translation>
    </message>
    <message>
        <source>Train</source>
        <comment>the button</comment>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Detach</source>
        <translation>Lösen</translation>
    </message>
</context>
<context>
    <name>loupe::views::TrainingList</name>
    <message>
        <source>Trainings of this model since the program was started</source>
        <translation>Trainings dieses Modells seit dem Start des Programms</translation>
    </message>
    <message>
        <source>Tick a training to draw its curves too; columns are the settings that differ</source>
        <translation>Haken Sie ein Training an, um auch seine Kurven zu zeichnen; Spalten sind die Einstellungen, die abweichen</translation>
    </message>
    <message>
        <source>%1 % held out</source>
        <translation>%1 % zurückgehalten</translation>
    </message>
    <message>
        <source>loss %1 held out</source>
        <translation>Loss %1 zurückgehalten</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>#</source>
        <translation>#</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>result</source>
        <translation>Ergebnis</translation>
    </message>
</context>
<context>
    <name>loupe::views::WatchModel</name>
    <message>
        <source>add: layer1.0.conv1.out.absmax</source>
        <translation>neu: layer1.0.conv1.out.absmax</translation>
    </message>
    <message>
        <source>Watch</source>
        <translation>Überwachen</translation>
    </message>
    <message>
        <source>At the current event</source>
        <translation>Beim aktuellen Ereignis</translation>
    </message>
</context>
<context>
    <name>loupe::views::WatchView</name>
    <message>
        <source>Watch and breakpoints</source>
        <translation>Überwachen und Haltepunkte</translation>
    </message>
    <message>
        <source>Where a run stops, under which condition, and expressions over values that follow the current event.</source>
        <translation>Wo ein Lauf anhält, unter welcher Bedingung, und Ausdrücke über Werte, die dem aktuellen Ereignis folgen.</translation>
    </message>
    <message>
        <source>Breakpoints</source>
        <translation>Haltepunkte</translation>
    </message>
    <message>
        <source>absmax &gt; 10, nan or inf, i == 1</source>
        <translation>absmax &gt; 10, nan or inf, i == 1</translation>
    </message>
    <message>
        <source>No breakpoints. F9 sets one at the current node or line; + sets one at a module, a kind of operator, where backward begins, or where a NaN or Inf appears.</source>
        <translation>Keine Haltepunkte. F9 setzt einen am aktuellen Knoten oder an der Zeile; + setzt einen an einem Modul, einer Art von Operator, wo rückwärts beginnt, oder wo ein NaN oder Inf auftritt.</translation>
    </message>
    <message>
        <source>Add a breakpoint</source>
        <translation>Haltepunkt hinzufügen</translation>
    </message>
    <message>
        <source>Remove the selected breakpoint (Delete)</source>
        <translation>Ausgewählten Haltepunkt entfernen (Entf)</translation>
    </message>
    <message>
        <source>Remove the selected breakpoint</source>
        <translation>Ausgewählten Haltepunkt entfernen</translation>
    </message>
    <message>
        <source>Watch expressions</source>
        <translation>Überwachte Ausdrücke</translation>
    </message>
    <message>
        <source>VALUE.STATISTIC: layer1.0.conv1.out.absmax, fc.weight.grad.norm, out.mean
Statistics: min, max, mean, std, absmax, absmean, norm, nan, inf, zeros, shape, bytes</source>
        <translation>WERT.STATISTIK: layer1.0.conv1.out.absmax, fc.weight.grad.norm, out.mean
Statistiken: min, max, mean, std, absmax, absmean, norm, nan, inf, zeros, shape, bytes</translation>
    </message>
    <message>
        <source>Break at the current node</source>
        <translation>Am aktuellen Knoten anhalten</translation>
    </message>
    <message>
        <source>no node is selected</source>
        <translation>kein Knoten ist ausgewählt</translation>
    </message>
    <message>
        <source>Break at module %1</source>
        <translation>Am Modul %1 anhalten</translation>
    </message>
    <message>
        <source>no module is selected</source>
        <translation>kein Modul ist ausgewählt</translation>
    </message>
    <message>
        <source>Break at a module…</source>
        <translation>An einem Modul anhalten…</translation>
    </message>
    <message>
        <source>Break at a kind of operator…</source>
        <translation>An einer Art von Operator anhalten…</translation>
    </message>
    <message>
        <source>Break when NaN or Inf appears</source>
        <translation>Anhalten, wenn NaN oder Inf auftritt</translation>
    </message>
    <message>
        <source>Break when backward begins</source>
        <translation>Anhalten, wenn rückwärts beginnt</translation>
    </message>
    <message>
        <source>Break at a module</source>
        <translation>An einem Modul anhalten</translation>
    </message>
    <message>
        <source>Break at a kind of operator</source>
        <translation>An einer Art von Operator anhalten</translation>
    </message>
    <message>
        <source>Path of the module, like layer2.0</source>
        <translation>Pfad des Moduls, etwa layer2.0</translation>
    </message>
    <message>
        <source>Name of the operator; * stands for anything, like conv*</source>
        <translation>Name des Operators; * steht für Beliebiges, etwa conv*</translation>
    </message>
    <message>
        <source>%1 &apos;%2&apos; is not in force, it stays in its editor: %3. %4</source>
        <translation>%1 &apos;%2&apos; gilt nicht und bleibt im Eingabefeld: %3. %4</translation>
    </message>
    <message>
        <source>the condition</source>
        <translation>die Bedingung</translation>
    </message>
    <message>
        <source>What runs has the condition as it was before the edit</source>
        <translation>Was läuft, hat die Bedingung von vor der Bearbeitung</translation>
    </message>
    <message>
        <source>the watch expression</source>
        <translation>der überwachte Ausdruck</translation>
    </message>
    <message>
        <source>The one before the edit is shown</source>
        <translation>Gezeigt wird der vor der Bearbeitung</translation>
    </message>
    <message>
        <source>There are no breakpoints and no watch expressions.</source>
        <translation>Es gibt keine Haltepunkte und keine überwachten Ausdrücke.</translation>
    </message>
    <message>
        <source>Remove all breakpoints</source>
        <translation>Alle Haltepunkte entfernen</translation>
    </message>
    <message>
        <source>there are no breakpoints</source>
        <translation>es gibt keine Haltepunkte</translation>
    </message>
</context>
<context>
    <name>loupe::views::WatchedBar</name>
    <message>
        <source>measured every</source>
        <translation>gemessen alle</translation>
    </message>
    <message>
        <source>Steps between two that are measured</source>
        <translation>Schritte zwischen zwei gemessenen</translation>
    </message>
    <message>
        <source>Norms, statistics and activations of one step in so many; losses come of each</source>
        <translation>Normen, Statistik und Aktivierungen eines Schritts von so vielen; Loss kommt von jedem</translation>
    </message>
    <message>
        <source> steps</source>
        <translation> Schritte</translation>
    </message>
    <message>
        <source>Record the next step</source>
        <translation>Nächsten Schritt aufzeichnen</translation>
    </message>
    <message>
        <source>The next step is recorded</source>
        <translation>Der nächste Schritt wird aufgezeichnet</translation>
    </message>
    <message>
        <source>The program records every operator of its next step, as a .loupe file beside it</source>
        <translation>Das Programm zeichnet jeden Operator seines nächsten Schritts auf, als .loupe-Datei daneben</translation>
    </message>
    <message>
        <source>Open the recorded step in a window of its own</source>
        <translation>Den aufgezeichneten Schritt in einem eigenen Fenster öffnen</translation>
    </message>
    <message>
        <source>End the watching</source>
        <translation>Beobachten beenden</translation>
    </message>
    <message>
        <source>The program trains on and is watched no more, by anyone, until it is started again</source>
        <translation>Das Programm trainiert weiter und wird von niemandem mehr beobachtet, bis es neu gestartet wird</translation>
    </message>
    <message>
        <source>Trained by &lt;b&gt;%1&lt;/b&gt;, process %2</source>
        <translation>Trainiert von &lt;b&gt;%1&lt;/b&gt;, Prozess %2</translation>
    </message>
    <message>
        <source> on %1</source>
        <translation> auf %1</translation>
    </message>
    <message>
        <source>, %1 ranks</source>
        <translation>, %1 Ränge</translation>
    </message>
    <message>
        <source> (no longer attached)</source>
        <translation> (nicht mehr verbunden)</translation>
    </message>
    <message>
        <source>Open step %1</source>
        <translation>Schritt %1 öffnen</translation>
    </message>
    <message>
        <source>Open %1 in a window of its own</source>
        <translation>%1 in einem eigenen Fenster öffnen</translation>
    </message>
</context>
<context>
    <name>loupe::views::WordsTable</name>
    <message>
        <source>Likeliest word by layer and place</source>
        <translation>Wahrscheinlichstes Wort je Schicht und Stelle</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>%1 at %2 (#%3); entropy %4 nats</source>
        <translation>%1 bei %2 (#%3); Entropie %4 nats</translation>
    </message>
</context>
<context>
    <name>loupe::window::Actions</name>
    <message>
        <source>Not now: %1.</source>
        <translation>Nicht jetzt: %1.</translation>
    </message>
</context>
<context>
    <name>loupe::window::AttachDialog</name>
    <message>
        <source>Attach to a training</source>
        <translation>Mit einem Training verbinden</translation>
    </message>
    <message>
        <source>PyTorch programs that call &lt;code&gt;tensorloupe.watch(model, optimizer)&lt;/code&gt;:</source>
        <translation>PyTorch-Programme, die &lt;code&gt;tensorloupe.watch(model, optimizer)&lt;/code&gt; aufrufen:</translation>
    </message>
    <message>
        <source>PyTorch programs on %1 that call &lt;code&gt;tensorloupe.watch(model, optimizer)&lt;/code&gt;:</source>
        <translation>PyTorch-Programme auf %1, die &lt;code&gt;tensorloupe.watch(model, optimizer)&lt;/code&gt; aufrufen:</translation>
    </message>
    <message>
        <source>Programs that can be attached to</source>
        <translation>Programme, mit denen man sich verbinden kann</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Sucht…</translation>
    </message>
    <message>
        <source>, parked</source>
        <translation>, angehalten</translation>
    </message>
    <message>
        <source>None is running now. One that is started appears here.</source>
        <translation>Jetzt läuft keines. Ein gestartetes erscheint hier.</translation>
    </message>
</context>
<context>
    <name>loupe::window::Banner</name>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>All of the error, with the source that it is about</source>
        <translation>Der ganze Fehler, mit dem Quelltext, um den es geht</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
</context>
<context>
    <name>loupe::window::Chooser</name>
    <message>
        <source>There is nothing to choose.</source>
        <translation>Es gibt nichts zu wählen.</translation>
    </message>
    <message>
        <source>Nothing matches “%1”.</source>
        <translation>Nichts passt zu „%1“.</translation>
    </message>
</context>
<context>
    <name>loupe::window::ConnectDialog</name>
    <message>
        <source>Connect to an engine</source>
        <translation>Mit einer Engine verbinden</translation>
    </message>
    <message>
        <source>ssh://ada@host, host:2222, docker exec -i box tensorloupe-engine --stdio</source>
        <translation>ssh://ada@host, host:2222, docker exec -i box tensorloupe-engine --stdio</translation>
    </message>
    <message>
        <source>How ssh is called. {options}, {port}, {host} and {engine} are filled in; words are split as in a shell, but no shell sees them</source>
        <translation>Wie ssh aufgerufen wird. {options}, {port}, {host} und {engine} werden eingesetzt; Wörter werden wie in einer Shell getrennt, aber keine Shell sieht sie</translation>
    </message>
    <message>
        <source>Whatever ssh reaches, or a command that starts tensorloupe-engine --stdio there. Models, runs and trainings stay there, and go on when the connection ends. It opens in a window of its own.</source>
        <translation>Was ssh erreicht, oder ein Befehl, der dort tensorloupe-engine --stdio startet. Modelle, Läufe und Trainings bleiben dort und laufen weiter, wenn die Verbindung endet. Es öffnet sich ein eigenes Fenster.</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Take it out of the list of hosts that were reached</source>
        <translation>Aus der Liste der erreichten Hosts nehmen</translation>
    </message>
    <message>
        <source>&amp;Where:</source>
        <translation>&amp;Wo:</translation>
    </message>
    <message>
        <source>&amp;Command for ssh:</source>
        <translation>&amp;Befehl für ssh:</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
</context>
<context>
    <name>loupe::window::Docks</name>
    <message>
        <source>layout</source>
        <translation>Layout</translation>
    </message>
    <message>
        <source>Show all panels again</source>
        <translation>Wieder alle Panels zeigen</translation>
    </message>
    <message>
        <source>Maximise</source>
        <translation>Maximieren</translation>
    </message>
    <message>
        <source>The same as a double click on the title, or Ctrl+F11</source>
        <translation>Dasselbe wie ein Doppelklick auf den Titel oder Strg+F11</translation>
    </message>
    <message>
        <source>Dock</source>
        <translation>Andocken</translation>
    </message>
    <message>
        <source>Float</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
</context>
<context>
    <name>loupe::window::ErrorDetails</name>
    <message>
        <source>Details of the error</source>
        <translation>Details des Fehlers</translation>
    </message>
    <message>
        <source>Click on a place, or Return in it, to go to its line in Source</source>
        <translation>Ein Klick auf eine Stelle, oder die Eingabetaste darin, geht zu ihrer Zeile in Quelltext</translation>
    </message>
</context>
<context>
    <name>loupe::window::FarConnection</name>
    <message>
        <source>%1: %2 ranks</source>
        <translation>%1: %2 Ränge</translation>
    </message>
    <message>
        <source>%1: connecting…</source>
        <translation>%1: verbindet…</translation>
    </message>
    <message>
        <source>%1: %2 ms</source>
        <translation>%1: %2 ms</translation>
    </message>
    <message>
        <source>%1: connected</source>
        <translation>%1: verbunden</translation>
    </message>
    <message>
        <source>%1: lost, click to connect</source>
        <translation>%1: getrennt, Klick verbindet</translation>
    </message>
    <message>
        <source>%1: lost, next try in %2 s</source>
        <translation>%1: getrennt, nächster Versuch in %2 s</translation>
    </message>
    <message>
        <source>%1: lost, trying…</source>
        <translation>%1: getrennt, versucht…</translation>
    </message>
    <message>
        <source>%1: not connected</source>
        <translation>%1: nicht verbunden</translation>
    </message>
    <message>
        <source>The engine is on %1</source>
        <translation>Die Engine ist auf %1</translation>
    </message>
    <message>
        <source>
Sent %1, received %2</source>
        <translation>
Gesendet %1, empfangen %2</translation>
    </message>
    <message>
        <source>
Click to try now. What runs there goes on</source>
        <translation>
Ein Klick versucht es jetzt. Was dort läuft, läuft weiter</translation>
    </message>
</context>
<context>
    <name>loupe::window::HelpWindow</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Search all pages</source>
        <translation>Alle Seiten durchsuchen</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>The place before (Alt+Left)</source>
        <translation>Die Stelle davor (Alt+Links)</translation>
    </message>
    <message>
        <source>The place before</source>
        <translation>Die Stelle davor</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>No page has all of these words.</source>
        <translation>Keine Seite enthält alle diese Wörter.</translation>
    </message>
    <message>
        <source>Help: %1</source>
        <translation>Hilfe: %1</translation>
    </message>
</context>
<context>
    <name>loupe::window::KeysDialog</name>
    <message>
        <source>(in this panel)</source>
        <translation>(in diesem Panel)</translation>
    </message>
    <message>
        <source>Keys and commands</source>
        <translation>Tasten und Befehle</translation>
    </message>
    <message>
        <source>Search: a command, a key like F10, a word of what it does</source>
        <translation>Suche: ein Befehl, eine Taste wie F10, ein Wort aus seiner Beschreibung</translation>
    </message>
    <message>
        <source>Search commands and keys</source>
        <translation>Befehle und Tasten suchen</translation>
    </message>
    <message>
        <source>Commands and keys</source>
        <translation>Befehle und Tasten</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Was er tut</translation>
    </message>
    <message>
        <source>Every command is also in the palette (Ctrl+Shift+P), whether it has a key or not.</source>
        <translation>Jeder Befehl steht auch in der Palette (Strg+Umschalt+P), ob er eine Taste hat oder nicht.</translation>
    </message>
    <message>
        <source>Elsewhere</source>
        <translation>Anderswo</translation>
    </message>
    <message>
        <source>In the panel %1</source>
        <translation>Im Panel %1</translation>
    </message>
</context>
<context>
    <name>loupe::window::MainWindow</name>
    <message>
        <source>An error inside the program, in %1: %2</source>
        <translation>Ein Fehler im Programm, in %1: %2</translation>
    </message>
    <message>
        <source>Change the launcher…</source>
        <translation>Starter ändern…</translation>
    </message>
    <message>
        <source>%1 was changed by another program.</source>
        <translation>%1 wurde von einem anderen Programm geändert.</translation>
    </message>
    <message>
        <source>Run it as it is now</source>
        <translation>Ausführen, wie es jetzt ist</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Show it as it was saved</source>
        <translation>Zeigen, wie gespeichert</translation>
    </message>
    <message>
        <source>Run to the same place</source>
        <translation>Bis zur selben Stelle ausführen</translation>
    </message>
    <message>
        <source>Choose another file…</source>
        <translation>Andere Datei wählen…</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>Andere öffnen…</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>Liest %1…</translation>
    </message>
    <message>
        <source>%1: no such file</source>
        <translation>%1: keine solche Datei</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
    <message>
        <source>Save the run</source>
        <translation>Lauf speichern</translation>
    </message>
    <message>
        <source>Recorded runs (*.loupe)</source>
        <translation>Aufgezeichnete Läufe (*.loupe)</translation>
    </message>
    <message>
        <source>Save a picture of %1</source>
        <translation>Bild von %1 speichern</translation>
    </message>
    <message>
        <source>Pictures (*.png *.svg *.pdf)</source>
        <translation>Bilder (*.png *.svg *.pdf)</translation>
    </message>
    <message>
        <source>Save elsewhere…</source>
        <translation>Anderswo speichern…</translation>
    </message>
    <message>
        <source>The run was written to %1</source>
        <translation>Der Lauf wurde nach %1 geschrieben</translation>
    </message>
    <message>
        <source>%1 can feed a model, but none is open: open a model first.</source>
        <translation>%1 kann ein Modell speisen, aber keines ist geöffnet: Öffnen Sie zuerst ein Modell.</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Modell öffnen…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>What runs is the version on disk, without the edits in the editor, which are not saved.</source>
        <translation>Was läuft, ist die Fassung auf der Platte, ohne die Änderungen im Editor, die nicht gespeichert sind.</translation>
    </message>
    <message>
        <source>Save the edits and run</source>
        <translation>Änderungen speichern und ausführen</translation>
    </message>
    <message>
        <source>&amp;Continue</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Ausführen</translation>
    </message>
    <message>
        <source>Show the line</source>
        <translation>Zeile zeigen</translation>
    </message>
    <message>
        <source>Show where</source>
        <translation>Stelle zeigen</translation>
    </message>
    <message>
        <source>Change the training</source>
        <translation>Training ändern</translation>
    </message>
    <message>
        <source>Change inputs</source>
        <translation>Eingaben ändern</translation>
    </message>
    <message>
        <source>Restart and go back there</source>
        <translation>Neu starten und dorthin zurück</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Start all again</source>
        <translation>Alle neu starten</translation>
    </message>
    <message>
        <source>Run on %1 processes</source>
        <translation>Auf %1 Prozessen ausführen</translation>
    </message>
    <message>
        <source>Starting %1 processes…</source>
        <translation>Startet %1 Prozesse…</translation>
    </message>
    <message>
        <source>Nothing says how this model is built: %1 is guessed (%2), and so are its inputs.</source>
        <translation>Nichts sagt, wie dieses Modell gebaut wird: %1 ist geraten (%2), und ebenso seine Eingaben.</translation>
    </message>
    <message>
        <source>Nothing says how this model is built: %1 is guessed (%2).</source>
        <translation>Nichts sagt, wie dieses Modell gebaut wird: %1 ist geraten (%2).</translation>
    </message>
    <message>
        <source>Change it</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Search backward too</source>
        <translation>Auch rückwärts suchen</translation>
    </message>
    <message>
        <source>This model cannot run: the engine lacks %1. You can still look at it.</source>
        <translation>Dieses Modell kann nicht laufen: Der Engine fehlt %1. Ansehen können Sie es trotzdem.</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open a model file, a recorded run, a trace of PyTorch&apos;s profiler or a memory snapshot</source>
        <translation>Eine Modelldatei, einen aufgezeichneten Lauf, einen Trace des PyTorch-Profilers oder einen Speicher-Snapshot öffnen</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Modell öffnen</translation>
    </message>
    <message>
        <source>Models, recordings, traces and snapshots</source>
        <translation>Modelle, Aufzeichnungen, Traces und Snapshots</translation>
    </message>
    <message>
        <source>Open a &amp;folder…</source>
        <translation>&amp;Ordner öffnen…</translation>
    </message>
    <message>
        <source>A folder of weights: .safetensors, pytorch_model.bin, or a checkpoint of torch.distributed.checkpoint</source>
        <translation>Ein Ordner mit Gewichten: .safetensors, pytorch_model.bin oder ein Checkpoint von torch.distributed.checkpoint</translation>
    </message>
    <message>
        <source>Open a folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>&amp;Attach to a training…</source>
        <translation>&amp;Mit einem Training verbinden…</translation>
    </message>
    <message>
        <source>A PyTorch program that calls tensorloupe.watch(): its training is shown while it runs</source>
        <translation>Ein PyTorch-Programm, das tensorloupe.watch() aufruft: Sein Training wird gezeigt, während es läuft</translation>
    </message>
    <message>
        <source>&amp;Reload</source>
        <translation>&amp;Neu laden</translation>
    </message>
    <message>
        <source>Open the file again</source>
        <translation>Die Datei erneut öffnen</translation>
    </message>
    <message>
        <source>Save what the source &amp;wrote…</source>
        <translation>&amp;Geschriebenes speichern…</translation>
    </message>
    <message>
        <source>Copy the files that the .py source has written, from its own folder to another</source>
        <translation>Die Dateien, die der .py-Quelltext geschrieben hat, aus seinem eigenen Ordner in einen anderen kopieren</translation>
    </message>
    <message>
        <source>no source that is open has written a file</source>
        <translation>kein geöffneter Quelltext hat eine Datei geschrieben</translation>
    </message>
    <message>
        <source>Load &amp;weights into the model…</source>
        <translation>Ge&amp;wichte in das Modell laden…</translation>
    </message>
    <message>
        <source>A checkpoint (.pt, .pth, .safetensors, .npz) into the model that is open, as load_state_dict does</source>
        <translation>Einen Checkpoint (.pt, .pth, .safetensors, .npz) in das geöffnete Modell, wie load_state_dict</translation>
    </message>
    <message>
        <source>&amp;Close model</source>
        <translation>Modell s&amp;chließen</translation>
    </message>
    <message>
        <source>Close the model</source>
        <translation>Das Modell schließen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>Been&amp;den</translation>
    </message>
    <message>
        <source>&amp;Copy rows</source>
        <translation>Zeilen &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy the selected rows of the list that has the keyboard</source>
        <translation>Die ausgewählten Zeilen der Liste kopieren, die den Tastaturfokus hat</translation>
    </message>
    <message>
        <source>Save a &amp;picture of the panel…</source>
        <translation>&amp;Bild des Panels speichern…</translation>
    </message>
    <message>
        <source>As PNG, SVG or PDF</source>
        <translation>Als PNG, SVG oder PDF</translation>
    </message>
    <message>
        <source>no panel has the keyboard</source>
        <translation>kein Panel hat den Tastaturfokus</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Undo the last change of breakpoints or layout</source>
        <translation>Die letzte Änderung an Haltepunkten oder Layout rückgängig machen</translation>
    </message>
    <message>
        <source>nothing was changed</source>
        <translation>nichts wurde geändert</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>nothing was undone</source>
        <translation>nichts wurde rückgängig gemacht</translation>
    </message>
    <message>
        <source>Stop the &amp;engine</source>
        <translation>&amp;Engine beenden</translation>
    </message>
    <message>
        <source>End the engine&apos;s process, whatever it does; what was recorded stays, and it can be started again</source>
        <translation>Den Prozess der Engine beenden, was immer er tut; das Aufgezeichnete bleibt, und sie kann neu gestartet werden</translation>
    </message>
    <message>
        <source>the engine runs in the window&apos;s own process</source>
        <translation>die Engine läuft im Prozess des Fensters selbst</translation>
    </message>
    <message>
        <source>the engine has ended</source>
        <translation>die Engine ist beendet</translation>
    </message>
    <message>
        <source>Run on N processes</source>
        <translation>Auf N Prozessen ausführen</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>{ranks} and {engine} are filled in: mpirun or srun, with the options that your machines need</source>
        <translation>{ranks} und {engine} werden eingesetzt: mpirun oder srun, mit den Optionen, die Ihre Rechner brauchen</translation>
    </message>
    <message>
        <source>Launcher</source>
        <translation>Starter</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Run on &amp;N processes…</source>
        <translation>Auf &amp;N Prozessen ausführen…</translation>
    </message>
    <message>
        <source>Start the engine on several processes by mpirun or srun, and open this model in each</source>
        <translation>Die Engine mit mpirun oder srun auf mehreren Prozessen starten und dieses Modell in jedem öffnen</translation>
    </message>
    <message>
        <source>a recording cannot be run</source>
        <translation>eine Aufzeichnung kann nicht ausgeführt werden</translation>
    </message>
    <message>
        <source>processes are being started</source>
        <translation>Prozesse werden gestartet</translation>
    </message>
    <message>
        <source>Orders to &amp;all ranks</source>
        <translation>Befehle an alle Rän&amp;ge</translation>
    </message>
    <message>
        <source>Run, step, stop and breakpoints are of all processes, or of the one that is shown</source>
        <translation>Ausführen, Schritt, Stopp und Haltepunkte gelten allen Prozessen, oder nur dem, der gezeigt wird</translation>
    </message>
    <message>
        <source>no processes run</source>
        <translation>keine Prozesse laufen</translation>
    </message>
    <message>
        <source>Ti&amp;me it properly</source>
        <translation>Genau &amp;messen</translation>
    </message>
    <message>
        <source>Repeat the run until it is warm, then time it: each operator gets the median and the spread, as columns in Events, in Timeline, and in Graph&apos;s colours</source>
        <translation>Den Lauf wiederholen, bis er warm ist, dann messen: Jeder Operator bekommt Median und Streuung, als Spalten in Ereignisse, in Zeitachse und in den Farben von Graph</translation>
    </message>
    <message>
        <source>the model is still being opened</source>
        <translation>das Modell wird noch geöffnet</translation>
    </message>
    <message>
        <source>the model is running; pause it first</source>
        <translation>das Modell läuft; pausieren Sie es zuerst</translation>
    </message>
    <message>
        <source>nothing is running</source>
        <translation>nichts läuft</translation>
    </message>
    <message>
        <source>the run is not paused</source>
        <translation>der Lauf ist nicht angehalten</translation>
    </message>
    <message>
        <source>Run the model, or continue</source>
        <translation>Das Modell ausführen oder fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>Pause before the next operator</source>
        <translation>Vor dem nächsten Operator anhalten</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Stopp</translation>
    </message>
    <message>
        <source>End the run; what was recorded stays</source>
        <translation>Den Lauf beenden; das Aufgezeichnete bleibt</translation>
    </message>
    <message>
        <source>Step &amp;over</source>
        <translation>Schritt &amp;darüber</translation>
    </message>
    <message>
        <source>Run the next operator or module call</source>
        <translation>Den nächsten Operator oder Modulaufruf ausführen</translation>
    </message>
    <message>
        <source>Step &amp;into</source>
        <translation>Schritt h&amp;inein</translation>
    </message>
    <message>
        <source>Run the next operator, going into module calls</source>
        <translation>Den nächsten Operator ausführen und dabei in Modulaufrufe hineingehen</translation>
    </message>
    <message>
        <source>Step o&amp;ut</source>
        <translation>Schritt hina&amp;us</translation>
    </message>
    <message>
        <source>Run to the end of this module call</source>
        <translation>Bis zum Ende dieses Modulaufrufs ausführen</translation>
    </message>
    <message>
        <source>Step &amp;back</source>
        <translation>Schritt &amp;zurück</translation>
    </message>
    <message>
        <source>Look at the event before this one</source>
        <translation>Das Ereignis vor diesem ansehen</translation>
    </message>
    <message>
        <source>there is no event before</source>
        <translation>davor gibt es kein Ereignis</translation>
    </message>
    <message>
        <source>Run to &amp;here</source>
        <translation>Bis &amp;hierher ausführen</translation>
    </message>
    <message>
        <source>Run until before the current node; of a run of a session before, again until behind the current event</source>
        <translation>Bis vor den aktuellen Knoten ausführen; bei einem Lauf einer früheren Sitzung erneut bis nach dem aktuellen Ereignis</translation>
    </message>
    <message>
        <source>no node is selected</source>
        <translation>kein Knoten ist ausgewählt</translation>
    </message>
    <message>
        <source>Run to next &amp;NaN or Inf</source>
        <translation>Bis zum nächsten NaN &amp;oder Inf</translation>
    </message>
    <message>
        <source>Run until an operator makes a NaN or an Inf; those that are passed on or meant are no stops</source>
        <translation>Ausführen, bis ein Operator ein NaN oder Inf erzeugt; bei weitergereichten oder gewollten wird nicht angehalten</translation>
    </message>
    <message>
        <source>Go to the &amp;origin of this NaN or Inf</source>
        <translation>Zum &amp;Ursprung dieses NaN oder Inf</translation>
    </message>
    <message>
        <source>From the current event back to the one that made its NaN or Inf, over both phases</source>
        <translation>Vom aktuellen Ereignis zurück zu dem, das sein NaN oder Inf erzeugte, über beide Phasen</translation>
    </message>
    <message>
        <source>Run to back&amp;ward</source>
        <translation>Bis rück&amp;wärts ausführen</translation>
    </message>
    <message>
        <source>Run until backward begins</source>
        <translation>Ausführen, bis rückwärts beginnt</translation>
    </message>
    <message>
        <source>Toggle &amp;breakpoint</source>
        <translation>Hal&amp;tepunkt umschalten</translation>
    </message>
    <message>
        <source>Set or remove a breakpoint where the keyboard is, else at the current node</source>
        <translation>Einen Haltepunkt setzen oder entfernen, wo der Tastaturfokus ist, sonst am aktuellen Knoten</translation>
    </message>
    <message>
        <source>no reference is pinned</source>
        <translation>keine Referenz ist angeheftet</translation>
    </message>
    <message>
        <source>&amp;Pin this run</source>
        <translation>Diesen Lauf &amp;anheften</translation>
    </message>
    <message>
        <source>Keep this run as the reference: every panel shows how later runs, and other models, differ from it</source>
        <translation>Diesen Lauf als Referenz behalten: Jedes Panel zeigt, wie spätere Läufe und andere Modelle von ihm abweichen</translation>
    </message>
    <message>
        <source>nothing has run yet</source>
        <translation>noch ist nichts gelaufen</translation>
    </message>
    <message>
        <source>&amp;Unpin the reference</source>
        <translation>Referenz &amp;lösen</translation>
    </message>
    <message>
        <source>Panels show this run alone again</source>
        <translation>Panels zeigen wieder nur diesen Lauf</translation>
    </message>
    <message>
        <source>First &amp;divergence</source>
        <translation>&amp;Erste Abweichung</translation>
    </message>
    <message>
        <source>The first event that differs from the reference beyond tolerance</source>
        <translation>Das erste Ereignis, das über die Toleranz hinaus von der Referenz abweicht</translation>
    </message>
    <message>
        <source>First divergence in &amp;backward</source>
        <translation>Erste Abweichung &amp;rückwärts</translation>
    </message>
    <message>
        <source>The same in backward</source>
        <translation>Dasselbe rückwärts</translation>
    </message>
    <message>
        <source>Script this &amp;model</source>
        <translation>Dieses Modell s&amp;kripten</translation>
    </message>
    <message>
        <source>Compile the source as torch.jit.script does; the panel Source says where it cannot</source>
        <translation>Den Quelltext wie torch.jit.script kompilieren; das Panel Quelltext sagt, wo das nicht geht</translation>
    </message>
    <message>
        <source>&amp;Trace with these inputs</source>
        <translation>Mit diesen Eingaben t&amp;racen</translation>
    </message>
    <message>
        <source>Run the source once on the inputs and keep the operators that ran, as torch.jit.trace does</source>
        <translation>Den Quelltext einmal mit den Eingaben ausführen und die Operatoren behalten, die liefen, wie torch.jit.trace</translation>
    </message>
    <message>
        <source>&amp;Evaluate the source</source>
        <translation>Que&amp;lltext auswerten</translation>
    </message>
    <message>
        <source>Run the source statement by statement again</source>
        <translation>Den Quelltext wieder Anweisung für Anweisung ausführen</translation>
    </message>
    <message>
        <source>only a .py source is scripted or traced</source>
        <translation>nur ein .py-Quelltext wird geskriptet oder getracet</translation>
    </message>
    <message>
        <source>the source does not say how its model is built</source>
        <translation>der Quelltext sagt nicht, wie sein Modell gebaut wird</translation>
    </message>
    <message>
        <source>the run is not at its end</source>
        <translation>der Lauf ist nicht zu Ende</translation>
    </message>
    <message>
        <source>it is scripted</source>
        <translation>es ist geskriptet</translation>
    </message>
    <message>
        <source>it is traced</source>
        <translation>es ist getracet</translation>
    </message>
    <message>
        <source>it is evaluated</source>
        <translation>es ist ausgewertet</translation>
    </message>
    <message>
        <source>Show in the log</source>
        <translation>Im Protokoll zeigen</translation>
    </message>
    <message>
        <source>Command &amp;palette…</source>
        <translation>&amp;Befehlspalette…</translation>
    </message>
    <message>
        <source>Find any command</source>
        <translation>Jeden Befehl finden</translation>
    </message>
    <message>
        <source>&amp;Go to node or module…</source>
        <translation>Zu &amp;Knoten oder Modul…</translation>
    </message>
    <message>
        <source>the run has one process</source>
        <translation>der Lauf hat einen Prozess</translation>
    </message>
    <message>
        <source>Next &amp;rank</source>
        <translation>Nächster &amp;Rang</translation>
    </message>
    <message>
        <source>Look at the next process of a distributed run, at the same event</source>
        <translation>Den nächsten Prozess eines verteilten Laufs ansehen, beim selben Ereignis</translation>
    </message>
    <message>
        <source>Pre&amp;vious rank</source>
        <translation>V&amp;origer Rang</translation>
    </message>
    <message>
        <source>Look at the process before, at the same event</source>
        <translation>Den vorigen Prozess ansehen, beim selben Ereignis</translation>
    </message>
    <message>
        <source>&amp;Find in this panel</source>
        <translation>In diesem Panel &amp;suchen</translation>
    </message>
    <message>
        <source>Fit &amp;everything</source>
        <translation>&amp;Alles einpassen</translation>
    </message>
    <message>
        <source>Show all of this panel</source>
        <translation>Alles in diesem Panel zeigen</translation>
    </message>
    <message>
        <source>no event is selected</source>
        <translation>kein Ereignis ist ausgewählt</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>The event that was current before</source>
        <translation>Das Ereignis, das davor aktuell war</translation>
    </message>
    <message>
        <source>nothing was selected before</source>
        <translation>davor war nichts ausgewählt</translation>
    </message>
    <message>
        <source>&amp;Forward</source>
        <translation>&amp;Vor</translation>
    </message>
    <message>
        <source>you have not gone back</source>
        <translation>Sie sind nicht zurückgegangen</translation>
    </message>
    <message>
        <source>Toggle book&amp;mark</source>
        <translation>&amp;Lesezeichen umschalten</translation>
    </message>
    <message>
        <source>Mark the current event</source>
        <translation>Das aktuelle Ereignis markieren</translation>
    </message>
    <message>
        <source>&amp;Next bookmark</source>
        <translation>&amp;Nächstes Lesezeichen</translation>
    </message>
    <message>
        <source>there are no bookmarks</source>
        <translation>es gibt keine Lesezeichen</translation>
    </message>
    <message>
        <source>&amp;Documentation of the operator</source>
        <translation>&amp;Dokumentation des Operators</translation>
    </message>
    <message>
        <source>What the current node or event computes</source>
        <translation>Was der aktuelle Knoten oder das aktuelle Ereignis berechnet</translation>
    </message>
    <message>
        <source>&amp;Peer event</source>
        <translation>&amp;Gegenstück</translation>
    </message>
    <message>
        <source>From a backward event to its forward one, and back</source>
        <translation>Von einem Rückwärtsereignis zu seinem Vorwärtsereignis und zurück</translation>
    </message>
    <message>
        <source>&amp;System theme</source>
        <translation>&amp;Systemdesign</translation>
    </message>
    <message>
        <source>&amp;Dark theme</source>
        <translation>&amp;Dunkles Design</translation>
    </message>
    <message>
        <source>&amp;Light theme</source>
        <translation>&amp;Helles Design</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>Layout &amp;zurücksetzen</translation>
    </message>
    <message>
        <source>Put all panels where they were at first</source>
        <translation>Alle Panels dorthin setzen, wo sie anfangs waren</translation>
    </message>
    <message>
        <source>&amp;Maximise the panel</source>
        <translation>Panel &amp;maximieren</translation>
    </message>
    <message>
        <source>Give the panel that has the keyboard the room of all, or show all again: also a double click on its title</source>
        <translation>Dem Panel mit dem Tastaturfokus den Platz aller geben, oder wieder alle zeigen: auch ein Doppelklick auf seinen Titel</translation>
    </message>
    <message>
        <source>No node is selected to break at: select an event, a node in the graph or a line of source.</source>
        <translation>Kein Knoten zum Anhalten ist ausgewählt: Wählen Sie ein Ereignis, einen Knoten im Graphen oder eine Zeile des Quelltexts.</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>&amp;Connect…</source>
        <translation>Mit Engine &amp;verbinden…</translation>
    </message>
    <message>
        <source>Open a window on an engine on another machine, in a container or behind a batch system</source>
        <translation>Ein Fenster zu einer Engine auf einem anderen Rechner, in einem Container oder hinter einem Batch-System öffnen</translation>
    </message>
    <message>
        <source>Reconnect &amp;now</source>
        <translation>&amp;Jetzt neu verbinden</translation>
    </message>
    <message>
        <source>Try again to reach the engine, instead of waiting for the next try</source>
        <translation>Die Engine erneut zu erreichen versuchen, statt auf den nächsten Versuch zu warten</translation>
    </message>
    <message>
        <source>the engine is on this machine</source>
        <translation>die Engine ist auf diesem Rechner</translation>
    </message>
    <message>
        <source>it is connected</source>
        <translation>sie ist verbunden</translation>
    </message>
    <message>
        <source>No other window can be started.</source>
        <translation>Kein weiteres Fenster lässt sich starten.</translation>
    </message>
    <message>
        <source>No program &apos;%1&apos; is watched on %2.</source>
        <translation>Kein Programm „%1“ wird auf %2 beobachtet.</translation>
    </message>
    <message>
        <source>The connection is lost: %1. What runs there goes on, and what was seen stays.</source>
        <translation>Die Verbindung ist verloren: %1. Was dort läuft, läuft weiter, und was zu sehen war, bleibt.</translation>
    </message>
    <message>
        <source>Reconnect now</source>
        <translation>Jetzt neu verbinden</translation>
    </message>
    <message>
        <source>Connecting to %1…</source>
        <translation>Verbindet mit %1…</translation>
    </message>
    <message>
        <source>Give up</source>
        <translation>Aufgeben</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>Take it over</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Connect elsewhere…</source>
        <translation>Anderswo verbinden…</translation>
    </message>
    <message>
        <source>%1: no such file on %2</source>
        <translation>%1: keine solche Datei auf %2</translation>
    </message>
    <message>
        <source>%1 is a folder on this machine, and the engine is on %2: copy it there first.</source>
        <translation>%1 ist ein Ordner auf diesem Rechner, und die Engine ist auf %2: Kopieren Sie ihn zuerst dorthin.</translation>
    </message>
    <message>
        <source>%1 is on this machine, and the engine is on %2.</source>
        <translation>%1 ist auf diesem Rechner, und die Engine ist auf %2.</translation>
    </message>
    <message>
        <source>Send it there (%1)</source>
        <translation>Dorthin senden (%1)</translation>
    </message>
    <message>
        <source>%1 was not sent: %2</source>
        <translation>%1 wurde nicht gesendet: %2</translation>
    </message>
    <message>
        <source>%1: %2 %</source>
        <translation>%1: %2 %</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>It was not brought here: %1</source>
        <translation>Es wurde nicht hierher geholt: %1</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleich</translation>
    </message>
    <message>
        <source>Pin &amp;another</source>
        <translation>Anderen an&amp;heften</translation>
    </message>
    <message>
        <source>&amp;Go</source>
        <translation>&amp;Gehe zu</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>A&amp;nsicht</translation>
    </message>
    <message>
        <source>Tables of plugins</source>
        <translation>Tabellen von Plugins</translation>
    </message>
    <message>
        <source>&amp;Panel</source>
        <translation>&amp;Panel</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Guided &amp;tours</source>
        <translation>Geführte Tou&amp;ren</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>No files yet</source>
        <translation>Noch keine Dateien</translation>
    </message>
    <message>
        <source>Show panel: %1</source>
        <translation>Panel zeigen: %1</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>Befehl eingeben</translation>
    </message>
    <message>
        <source>Pin another</source>
        <translation>Anderen anheften</translation>
    </message>
    <message>
        <source>(model)</source>
        <translation>(model)</translation>
    </message>
    <message>
        <source>Go to a module or a node</source>
        <translation>Zu einem Modul oder Knoten</translation>
    </message>
    <message>
        <source>no source was edited</source>
        <translation>kein Quelltext wurde geändert</translation>
    </message>
    <message>
        <source>this is a recorded run</source>
        <translation>dies ist ein aufgezeichneter Lauf</translation>
    </message>
    <message>
        <source>what is open is no model with a program</source>
        <translation>das Geöffnete ist kein Modell mit einem Programm</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Save what has the keyboard: in Source the source, in Train and Modules the model, else the run</source>
        <translation>Speichern, was den Tastaturfokus hat: in Quelltext den Quelltext, in Training und Module das Modell, sonst den Lauf</translation>
    </message>
    <message>
        <source>Save the &amp;source</source>
        <translation>&amp;Quelltext speichern</translation>
    </message>
    <message>
        <source>Write what was edited in Source into its file</source>
        <translation>Das in Quelltext Geänderte in seine Datei schreiben</translation>
    </message>
    <message>
        <source>Save the &amp;model…</source>
        <translation>Mod&amp;ell speichern…</translation>
    </message>
    <message>
        <source>Write the weights as they are now, or the training to go on from</source>
        <translation>Die jetzigen Gewichte schreiben, oder das Training zum Fortsetzen</translation>
    </message>
    <message>
        <source>Save the &amp;run…</source>
        <translation>&amp;Lauf speichern…</translation>
    </message>
    <message>
        <source>Save the runs of all &amp;ranks…</source>
        <translation>Lä&amp;ufe aller Ränge speichern…</translation>
    </message>
    <message>
        <source>Write the run of every rank: step.loupe, step.rank1.loupe, ..., which open together</source>
        <translation>Den Lauf jedes Rangs schreiben: step.loupe, step.rank1.loupe, ..., die zusammen geöffnet werden</translation>
    </message>
    <message>
        <source>Save the runs of all ranks</source>
        <translation>Läufe aller Ränge speichern</translation>
    </message>
    <message>
        <source>The runs of all ranks were written to %1 and beside it</source>
        <translation>Die Läufe aller Ränge wurden nach %1 und daneben geschrieben</translation>
    </message>
    <message>
        <source>Write events, statistics and values into a file that can be opened later, here or elsewhere</source>
        <translation>Ereignisse, Statistik und Werte in eine Datei schreiben, die sich später öffnen lässt, hier oder anderswo</translation>
    </message>
    <message>
        <source>Save &amp;edited sources before a run</source>
        <translation>Geänderten &amp;Quelltext vor einem Lauf speichern</translation>
    </message>
    <message>
        <source>R&amp;estore the last session at start</source>
        <translation>Sitzung beim Start wiede&amp;rherstellen</translation>
    </message>
    <message>
        <source>&amp;Keys and commands…</source>
        <translation>&amp;Tasten und Befehle…</translation>
    </message>
    <message>
        <source>Every command with its keys, to search in</source>
        <translation>Jeder Befehl mit seinen Tasten, zum Durchsuchen</translation>
    </message>
    <message>
        <source>&amp;Manual</source>
        <translation>&amp;Handbuch</translation>
    </message>
    <message>
        <source>The pages of documentation, with a search over all of them</source>
        <translation>Die Seiten der Dokumentation, mit einer Suche über alle (auf Englisch)</translation>
    </message>
    <message>
        <source>Help on this &amp;panel</source>
        <translation>Hilfe zu diesem &amp;Panel</translation>
    </message>
    <message>
        <source>The section of the manual about the panel that has the focus</source>
        <translation>Der Abschnitt des Handbuchs über das Panel, das den Fokus hat (auf Englisch)</translation>
    </message>
    <message>
        <source>no panel was chosen yet</source>
        <translation>noch wurde kein Panel gewählt</translation>
    </message>
    <message>
        <source>&amp;About Tensorloupe</source>
        <translation>Ü&amp;ber Tensorloupe</translation>
    </message>
    <message>
        <source>The version, and where this comes from</source>
        <translation>Die Version, und woher dies kommt</translation>
    </message>
    <message>
        <source>About Tensorloupe</source>
        <translation>Über Tensorloupe</translation>
    </message>
    <message>
        <source>&lt;b&gt;Tensorloupe %1&lt;/b&gt;&lt;p&gt;A desktop inspector for neural networks: opens a model, runs it forward and backward one operator at a time, and shows everything on the way.&lt;/p&gt;&lt;p&gt;The engine is under Apache-2.0, the window under GPL-3.0-or-later.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Tensorloupe %1&lt;/b&gt;&lt;p&gt;Ein Desktop-Inspektor für neuronale Netze: öffnet ein Modell, führt es vorwärts und rückwärts aus, einen Operator nach dem anderen, und zeigt alles auf dem Weg.&lt;/p&gt;&lt;p&gt;Die Engine steht unter Apache-2.0, das Fenster unter GPL-3.0-or-later.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>%1 was edited</source>
        <translation>%1 wurde geändert</translation>
    </message>
    <message>
        <source>%1 were edited</source>
        <translation>%1 wurden geändert</translation>
    </message>
    <message>
        <source>The model has learned for %1</source>
        <translation>Das Modell hat gelernt: %1</translation>
    </message>
    <message>
        <source>The model has learned</source>
        <translation>Das Modell hat gelernt</translation>
    </message>
    <message>
        <source>Its weights are in no file</source>
        <translation>Seine Gewichte sind in keiner Datei</translation>
    </message>
    <message>
        <source>The run of %1</source>
        <translation>Der Lauf: %1</translation>
    </message>
    <message>
        <source>It is in no file; the session keeps it until another model is opened</source>
        <translation>Er ist in keiner Datei; die Sitzung behält ihn, bis ein anderes Modell geöffnet wird</translation>
    </message>
    <message>
        <source>%1 was saved</source>
        <translation>%1 wurde gespeichert</translation>
    </message>
    <message>
        <source>The training, to go on from (*.pt *.pth)</source>
        <translation>Das Training, zum Fortsetzen (*.pt *.pth)</translation>
    </message>
    <message>
        <source>The weights alone (*.pt *.pth *.safetensors *.npz)</source>
        <translation>Nur die Gewichte (*.pt *.pth *.safetensors *.npz)</translation>
    </message>
    <message>
        <source>Save the model</source>
        <translation>Modell speichern</translation>
    </message>
    <message>
        <source>the model was written to %1</source>
        <translation>das Modell wurde nach %1 geschrieben</translation>
    </message>
    <message>
        <source>Run an edited source</source>
        <translation>Geänderten Quelltext ausführen</translation>
    </message>
    <message>
        <source>%1 has edits that are not saved. Run it with them?</source>
        <translation>%1 hat nicht gespeicherte Änderungen. Mit ihnen ausführen?</translation>
    </message>
    <message>
        <source>&quot;Save and run&quot; writes the edits to disk first. Without them the version on disk runs; the edits stay in the editor, not saved.</source>
        <translation>„Speichern und ausführen“ schreibt die Änderungen zuerst auf die Platte. Ohne sie läuft die Fassung auf der Platte; die Änderungen bleiben ungespeichert im Editor.</translation>
    </message>
    <message>
        <source>Save and run</source>
        <translation>Speichern und ausführen</translation>
    </message>
    <message>
        <source>Run the version on disk, without your edits</source>
        <translation>Fassung auf der Platte ausführen, ohne Ihre Änderungen</translation>
    </message>
    <message>
        <source>Save before every run from now on (Run menu)</source>
        <translation>Von nun an vor jedem Lauf speichern (Menü Ausführen)</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
        <source>What holds for all models, to search in</source>
        <translation>Was für alle Modelle gilt, zum Durchsuchen</translation>
    </message>
    <message>
        <source>Record the whole pro&amp;gram…</source>
        <translation>Das ganze Programm au&amp;fzeichnen…</translation>
    </message>
    <message>
        <source>Run the source from its first line to its last, with its main block, in one process or in several, and open what was recorded</source>
        <translation>Den Quelltext von der ersten bis zur letzten Zeile ausführen, mit ihrem main-Block, in einem Prozess oder in mehreren, und öffnen, was aufgezeichnet wurde</translation>
    </message>
    <message>
        <source>no Python source is open</source>
        <translation>kein Python-Quelltext ist offen</translation>
    </message>
    <message>
        <source>the engine is far away: run tensorloupe-cli there</source>
        <translation>die Engine ist auf einem anderen Rechner: dort tensorloupe-cli ausführen</translation>
    </message>
    <message>
        <source>a program runs already</source>
        <translation>es läuft schon ein Programm</translation>
    </message>
    <message>
        <source>Record the whole program</source>
        <translation>Das ganze Programm aufzeichnen</translation>
    </message>
    <message>
        <source>%1 runs from its first line to its last, and every operator of it is recorded. It opens here when it has ended, or is stopped.</source>
        <translation>%1 läuft von der ersten bis zur letzten Zeile, und jeder Operator wird aufgezeichnet. Die Aufzeichnung öffnet sich hier, wenn es geendet hat oder angehalten wird.</translation>
    </message>
    <message>
        <source>Ranks of torch.distributed, on this machine</source>
        <translation>Ränge von torch.distributed, auf diesem Rechner</translation>
    </message>
    <message>
        <source>%1 runs as a program…</source>
        <translation>%1 läuft als Programm…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>As&amp;k before a run is lost</source>
        <translation>Vor dem Verlust eines Laufs fr&amp;agen</translation>
    </message>
</context>
<context>
    <name>loupe::window::PluginTables</name>
    <message>
        <source>What plugins make of the model, each in a window of its own</source>
        <translation>Was Plugins aus dem Modell machen, jedes in einem eigenen Fenster</translation>
    </message>
</context>
<context>
    <name>loupe::window::ProgramRecorder</name>
    <message>
        <source>tensorloupe-cli is not there</source>
        <translation>tensorloupe-cli ist nicht da</translation>
    </message>
    <message>
        <source>the program ended with status %1</source>
        <translation>das Programm endete mit Status %1</translation>
    </message>
</context>
<context>
    <name>loupe::window::RankLauncher</name>
    <message>
        <source>%1 is not there</source>
        <translation>%1 ist nicht da</translation>
    </message>
</context>
<context>
    <name>loupe::window::SessionKeeper</name>
    <message>
        <source> in %1</source>
        <translation> in %1</translation>
    </message>
    <message>
        <source>This run was saved with its panels.</source>
        <translation>Dieser Lauf wurde mit seinen Panels gespeichert.</translation>
    </message>
    <message>
        <source>This run was saved with %1.</source>
        <translation>Mit diesem Lauf gespeichert: %1.</translation>
    </message>
    <message>
        <source>This run was saved with %1 and %2.</source>
        <translation>Mit diesem Lauf gespeichert: %1 und %2.</translation>
    </message>
    <message>
        <source>sessions are not kept: %1</source>
        <translation>Sitzungen werden nicht aufbewahrt: %1</translation>
    </message>
    <message>
        <source>the session is not kept: %1 cannot be written</source>
        <translation>die Sitzung wird nicht aufbewahrt: %1 kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>stopped after #%1</source>
        <translation>angehalten nach #%1</translation>
    </message>
    <message>
        <source>stopped before #%1</source>
        <translation>angehalten vor #%1</translation>
    </message>
    <message>
        <source>in the middle of a run</source>
        <translation>mitten in einem Lauf</translation>
    </message>
    <message>
        <source>after a run that failed</source>
        <translation>nach einem fehlgeschlagenen Lauf</translation>
    </message>
    <message>
        <source>after a run</source>
        <translation>nach einem Lauf</translation>
    </message>
    <message>
        <source>trained for %1</source>
        <translation>trainiert: %1</translation>
    </message>
    <message>
        <source>%1 with edits that are not saved</source>
        <translation>%1 mit nicht gespeicherten Änderungen</translation>
    </message>
    <message>
        <source>it cannot be read</source>
        <translation>nicht lesbar</translation>
    </message>
    <message>
        <source>%1 at byte %2</source>
        <translation>%1 bei Byte %2</translation>
    </message>
    <message>
        <source>it is not of this version</source>
        <translation>nicht von dieser Version</translation>
    </message>
    <message>
        <source>The last session cannot be restored, %1/state.json is damaged: %2.</source>
        <translation>Die letzte Sitzung kann nicht wiederhergestellt werden, %1/state.json ist beschädigt: %2.</translation>
    </message>
    <message>
        <source>The last session cannot be restored: its state is damaged.</source>
        <translation>Die letzte Sitzung kann nicht wiederhergestellt werden: Ihr Zustand ist beschädigt.</translation>
    </message>
    <message>
        <source>The last session cannot be restored: %1 is not there any more.</source>
        <translation>Die letzte Sitzung kann nicht wiederhergestellt werden: %1 gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>The last session cannot be restored: another window has it.</source>
        <translation>Die letzte Sitzung kann nicht wiederhergestellt werden: Ein anderes Fenster hat sie.</translation>
    </message>
    <message>
        <source>The last session cannot be restored: %1</source>
        <translation>Die letzte Sitzung kann nicht wiederhergestellt werden: %1</translation>
    </message>
    <message>
        <source>The last session cannot be restored: its model was closed.</source>
        <translation>Die letzte Sitzung kann nicht wiederhergestellt werden: Ihr Modell wurde geschlossen.</translation>
    </message>
    <message>
        <source>the run did not come back: %1</source>
        <translation>der Lauf kam nicht zurück: %1</translation>
    </message>
    <message>
        <source>%1 has changed since: the run is of the file as it was</source>
        <translation>%1 hat sich seitdem geändert: Der Lauf ist von der Datei, wie sie war</translation>
    </message>
    <message>
        <source>the recorded run is of another model than the one that is open now: %1</source>
        <translation>der aufgezeichnete Lauf ist von einem anderen Modell als dem jetzt geöffneten: %1</translation>
    </message>
    <message>
        <source>The session is restored</source>
        <translation>Die Sitzung ist wiederhergestellt</translation>
    </message>
    <message>
        <source>The session is restored: %1</source>
        <translation>Die Sitzung ist wiederhergestellt: %1</translation>
    </message>
    <message>
        <source>%1. Nothing is running: F5 runs again.</source>
        <translation>%1. Nichts läuft: F5 führt erneut aus.</translation>
    </message>
</context>
<context>
    <name>loupe::window::SettingsDialog</name>
    <message>
        <source>No setting has these words.</source>
        <translation>Keine Einstellung enthält diese Wörter.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Search: dark, ssh, ranks, a word of what it does</source>
        <translation>Suche: dunkel, ssh, Ränge, ein Wort aus einer Beschreibung</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen durchsuchen</translation>
    </message>
    <message>
        <source>From the next start on.</source>
        <translation>Ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reset %1</source>
        <translation>%1 zurücksetzen</translation>
    </message>
</context>
<context>
    <name>loupe::window::SourcePermissions</name>
    <message>
        <source>%1 may not remove or replace %2: it did not make it</source>
        <translation>%1 darf %2 nicht entfernen oder ersetzen: nicht selbst erzeugt</translation>
    </message>
    <message>
        <source>%1 may not write %2: it is no regular file</source>
        <translation>%1 darf %2 nicht schreiben: keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>%1 may not read %2: it is no regular file</source>
        <translation>%1 darf %2 nicht lesen: keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>%1 may not write %2: its folder does not exist</source>
        <translation>%1 darf %2 nicht schreiben: Der Ordner existiert nicht</translation>
    </message>
    <message>
        <source>%1 may not write %2</source>
        <translation>%1 darf %2 nicht schreiben</translation>
    </message>
    <message>
        <source>%1 may not read %2</source>
        <translation>%1 darf %2 nicht lesen</translation>
    </message>
    <message>
        <source>The source</source>
        <translation>Der Quelltext</translation>
    </message>
    <message numerus="yes">
        <source>, and %n more (see the log)</source>
        <translation>
            <numerusform>, und %n weiteres (siehe Protokoll)</numerusform>
            <numerusform>, und %n weitere (siehe Protokoll)</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 wrote files into a folder of its own: %2</source>
        <translation>%1 schrieb Dateien in einen eigenen Ordner: %2</translation>
    </message>
    <message>
        <source>Save what it wrote as…</source>
        <translation>Geschriebenes speichern unter…</translation>
    </message>
    <message>
        <source>Show the folder</source>
        <translation>Ordner zeigen</translation>
    </message>
    <message>
        <source>Allow writing to %1</source>
        <translation>Schreiben nach %1 erlauben</translation>
    </message>
    <message>
        <source>Allow reading %1</source>
        <translation>Lesen von %1 erlauben</translation>
    </message>
    <message>
        <source>Allow all of it</source>
        <translation>Alles erlauben</translation>
    </message>
    <message>
        <source>Show the line</source>
        <translation>Zeile zeigen</translation>
    </message>
    <message>
        <source>%1 may write to %2 until the window is closed</source>
        <translation>%1 darf nach %2 schreiben, bis das Fenster geschlossen wird</translation>
    </message>
    <message>
        <source>%1 may read %2 until the window is closed</source>
        <translation>%1 darf %2 lesen, bis das Fenster geschlossen wird</translation>
    </message>
    <message>
        <source>Save what the source wrote in</source>
        <translation>Vom Quelltext Geschriebenes speichern in</translation>
    </message>
    <message>
        <source>Save elsewhere…</source>
        <translation>Anderswo speichern…</translation>
    </message>
    <message>
        <source>What the source wrote was copied to %1</source>
        <translation>Was der Quelltext schrieb, wurde nach %1 kopiert</translation>
    </message>
</context>
<context>
    <name>loupe::window::StartPage</name>
    <message>
        <source>just now</source>
        <translation>gerade eben</translation>
    </message>
    <message>
        <source>a minute ago</source>
        <translation>vor einer Minute</translation>
    </message>
    <message>
        <source>%1 minutes ago</source>
        <translation>vor %1 Minuten</translation>
    </message>
    <message>
        <source>today, %1</source>
        <translation>heute, %1</translation>
    </message>
    <message>
        <source>yesterday, %1</source>
        <translation>gestern, %1</translation>
    </message>
    <message>
        <source>d MMMM, HH:mm</source>
        <translation>d. MMMM, HH:mm</translation>
    </message>
    <message>
        <source>Show it step by step</source>
        <translation>Schrittweise zeigen</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>Zum Ausprobieren</translation>
    </message>
    <message>
        <source>Open a model, run it forward and backward one operator at a time, and look at everything.</source>
        <translation>Öffnen Sie ein Modell, führen Sie es vorwärts und rückwärts aus, einen Operator nach dem anderen, und sehen Sie sich alles an.</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Modell öffnen…</translation>
    </message>
    <message>
        <source>Open a TorchScript file (Ctrl+O). You can also drop one on this window.</source>
        <translation>Eine TorchScript-Datei öffnen (Strg+O). Sie können auch eine auf dieses Fenster ziehen.</translation>
    </message>
    <message>
        <source>Last session</source>
        <translation>Letzte Sitzung</translation>
    </message>
    <message>
        <source>Restore the last session: %1</source>
        <translation>Letzte Sitzung wiederherstellen: %1</translation>
    </message>
    <message>
        <source>%1; the program ended without being closed</source>
        <translation>%1; das Programm endete, ohne geschlossen zu werden</translation>
    </message>
    <message>
        <source>Opens %1 with its inputs, breakpoints, edits, panels and the run as it was</source>
        <translation>Öffnet %1 mit Eingaben, Haltepunkten, Änderungen, Panels und dem Lauf, wie er war</translation>
    </message>
    <message>
        <source>Restore it at every start</source>
        <translation>Bei jedem Start wiederherstellen</translation>
    </message>
    <message>
        <source>Models to begin with</source>
        <translation>Modelle für den Anfang</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
    <message>
        <source>Guided tours</source>
        <translation>Geführte Touren</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>Zuletzt geöffnete Dateien</translation>
    </message>
    <message>
        <source>Files that you open are listed here.</source>
        <translation>Dateien, die Sie öffnen, werden hier aufgeführt.</translation>
    </message>
    <message>
        <source>From your PyTorch program</source>
        <translation>Aus dem eigenen PyTorch-Programm</translation>
    </message>
    <message>
        <source>Attach to a training that runs…</source>
        <translation>Mit einem laufenden Training verbinden…</translation>
    </message>
    <message>
        <source>A PyTorch program that calls tensorloupe.watch(): its training is shown while it runs</source>
        <translation>Ein PyTorch-Programm, das tensorloupe.watch() aufruft: Sein Training wird gezeigt, während es läuft</translation>
    </message>
    <message>
        <source>Watch a training: tensorloupe.watch()</source>
        <translation>Ein Training verfolgen: tensorloupe.watch()</translation>
    </message>
    <message>
        <source>Record a step: tensorloupe.record()</source>
        <translation>Einen Schritt aufzeichnen: tensorloupe.record()</translation>
    </message>
    <message>
        <source>Opens the page of the help</source>
        <translation>Öffnet die Seite der Hilfe</translation>
    </message>
    <message>
        <source>Engines elsewhere</source>
        <translation>Engines anderswo</translation>
    </message>
    <message>
        <source>Connect to another machine…</source>
        <translation>Mit einem anderen Rechner verbinden…</translation>
    </message>
    <message>
        <source>F5 runs, F10 steps, F6 runs to the next NaN or Inf, F7 to backward. Ctrl+Shift+P finds every command, Ctrl+P every module and node.</source>
        <translation>F5 führt aus, F10 geht Schritt für Schritt, F6 läuft bis zum nächsten NaN oder Inf, F7 bis rückwärts. Strg+Umschalt+P findet jeden Befehl, Strg+P jedes Modul und jeden Knoten.</translation>
    </message>
</context>
<context>
    <name>loupe::window::StatusLine</name>
    <message>
        <source>State of the engine</source>
        <translation>Zustand der Engine</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Cancel (Shift+F5)</source>
        <translation>Abbrechen (Umschalt+F5)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Rank that is shown</source>
        <translation>Gezeigter Rang</translation>
    </message>
    <message>
        <source>The rank that all panels show (Ctrl+Alt+Left, Ctrl+Alt+Right)</source>
        <translation>Der Rang, den alle Panels zeigen (Strg+Alt+Links, Strg+Alt+Rechts)</translation>
    </message>
    <message>
        <source>Rank %1 of %2%3</source>
        <translation>Rang %1 von %2%3</translation>
    </message>
    <message>
        <source>running the reference…</source>
        <translation>die Referenz läuft…</translation>
    </message>
    <message>
        <source>compared with %1</source>
        <translation>verglichen mit %1</translation>
    </message>
    <message>
        <source>reference: %1</source>
        <translation>Referenz: %1</translation>
    </message>
    <message>
        <source>%1
Click for the panel Compare; Ctrl+D goes to the first divergence; Compare &gt; Unpin ends it</source>
        <translation>%1
Ein Klick öffnet das Panel Vergleich; Strg+D geht zur ersten Abweichung; Vergleich &gt; Referenz lösen beendet es</translation>
    </message>
    <message>
        <source>changed: %1</source>
        <translation>geändert: %1</translation>
    </message>
    <message>
        <source>%1 changes</source>
        <translation>%1 Änderungen</translation>
    </message>
    <message>
        <source>Changed by hand in this run:
%1
A click goes there; Ctrl+Z undoes the last</source>
        <translation>In diesem Lauf von Hand geändert:
%1
Ein Klick geht dorthin; Strg+Z macht die letzte rückgängig</translation>
    </message>
    <message>
        <source>, after %1</source>
        <translation>, nach %1</translation>
    </message>
    <message>
        <source>, before %1</source>
        <translation>, vor %1</translation>
    </message>
    <message>
        <source> in %1</source>
        <translation> in %1</translation>
    </message>
    <message>
        <source>: its inputs are guessed</source>
        <translation>: Eingaben geraten</translation>
    </message>
    <message>
        <source>
Click to change them</source>
        <translation>
Klicken, um sie zu ändern</translation>
    </message>
    <message>
        <source>
Click to go there</source>
        <translation>
Klicken, um dorthin zu gehen</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Where the engine is parked: the last operator that ran</source>
        <translation>Wo die Engine angehalten ist: der letzte Operator, der lief</translation>
    </message>
    <message>
        <source>The current event: what the panels show</source>
        <translation>Das aktuelle Ereignis: was die Panels zeigen</translation>
    </message>
</context>
<context>
    <name>loupe::window::TourCallout</name>
    <message>
        <source>Guided tour</source>
        <translation>Geführte Tour</translation>
    </message>
    <message>
        <source>End the tour (Esc)</source>
        <translation>Tour beenden (Esc)</translation>
    </message>
    <message>
        <source>End the tour</source>
        <translation>Tour beenden</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Working…</source>
        <translation>Läuft…</translation>
    </message>
    <message>
        <source>Show me</source>
        <translation>Vormachen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Do it yourself, or let it be done</source>
        <translation>Tun Sie es selbst, oder lassen Sie es vormachen</translation>
    </message>
</context>
<context>
    <name>loupe::window::TourGuide</name>
    <message>
        <source>there is no command %1</source>
        <translation>es gibt keinen Befehl %1</translation>
    </message>
    <message>
        <source>it cannot be done now</source>
        <translation>das geht jetzt nicht</translation>
    </message>
    <message>
        <source>the run has nothing called %1</source>
        <translation>der Lauf hat nichts namens %1</translation>
    </message>
    <message>
        <source>a tour cannot %1</source>
        <translation>eine Tour kann nicht: %1</translation>
    </message>
    <message>
        <source>there is no choice %1</source>
        <translation>es gibt keine Auswahl %1</translation>
    </message>
    <message>
        <source>it is not there now</source>
        <translation>es ist jetzt nicht da</translation>
    </message>
    <message>
        <source>no %1 has run</source>
        <translation>kein %1 ist gelaufen</translation>
    </message>
    <message>
        <source>choose an event that gives a tensor</source>
        <translation>wählen Sie ein Ereignis, das einen Tensor ergibt</translation>
    </message>
</context>
<context>
    <name>loupe::window::UnsavedQuestion</name>
    <message>
        <source>Not everything is saved. What is ticked is saved first:</source>
        <translation>Nicht alles ist gespeichert. Angehaktes wird zuerst gespeichert:</translation>
    </message>
    <message>
        <source>Do not ask about runs again: they come back with the session</source>
        <translation>Nicht wieder nach Läufen fragen: Sie kommen mit der Sitzung zurück</translation>
    </message>
    <message>
        <source>The start page restores the last session, its run included. File &gt; Ask before a run is lost turns the question on again.</source>
        <translation>Die Startseite stellt die letzte Sitzung samt Lauf wieder her. Datei &gt; Vor dem Verlust eines Laufs fragen schaltet die Frage wieder ein.</translation>
    </message>
</context>
<context>
    <name>loupe::window::WeightsLoader</name>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>unexpected</source>
        <translation>unerwartet</translation>
    </message>
    <message>
        <source>size mismatch</source>
        <translation>andere Größe</translation>
    </message>
    <message>
        <source>size mismatches</source>
        <translation>andere Größen</translation>
    </message>
    <message>
        <source>no model is open</source>
        <translation>kein Modell ist geöffnet</translation>
    </message>
    <message>
        <source>this is a recorded run</source>
        <translation>dies ist ein aufgezeichneter Lauf</translation>
    </message>
    <message>
        <source>what is open is no model with a program</source>
        <translation>das Geöffnete ist kein Modell mit einem Programm</translation>
    </message>
    <message>
        <source>a run is under way; stop it first</source>
        <translation>ein Lauf ist im Gang; stoppen Sie ihn zuerst</translation>
    </message>
    <message>
        <source>Load weights into the model</source>
        <translation>Gewichte in das Modell laden</translation>
    </message>
    <message>
        <source>Checkpoints (*.pt *.pth *.safetensors *.safetensors.index.json *.npz);;All files (*)</source>
        <translation>Checkpoints (*.pt *.pth *.safetensors *.safetensors.index.json *.npz);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Show the differences</source>
        <translation>Unterschiede zeigen</translation>
    </message>
    <message>
        <source>%1 of %2 of %3 %4 loaded; passed over: %5.</source>
        <translation>%1 von %2 aus %3 %4 geladen; übergangen: %5.</translation>
    </message>
    <message>
        <source>was</source>
        <translation>wurde</translation>
    </message>
    <message>
        <source>were</source>
        <translation>wurden</translation>
    </message>
    <message>
        <source>Load what fits</source>
        <translation>Laden, was passt</translation>
    </message>
    <message>
        <source>Open it by itself</source>
        <translation>Allein öffnen</translation>
    </message>
    <message>
        <source>%1 does not fit the model: %2. Nothing was changed.</source>
        <translation>%1 passt nicht zum Modell: %2. Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>Checkpoint and model</source>
        <translation>Checkpoint und Modell</translation>
    </message>
    <message>
        <source>What the checkpoint and the model disagree in</source>
        <translation>Worin Checkpoint und Modell nicht übereinstimmen</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>In der Datei</translation>
    </message>
    <message>
        <source>In the model</source>
        <translation>Im Modell</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>Alles kopieren</translation>
    </message>
    <message>
        <source>The rows, and load_state_dict&apos;s own message</source>
        <translation>Die Zeilen, und die Meldung von load_state_dict</translation>
    </message>
    <message>
        <source>%1 loaded</source>
        <translation>%1 geladen</translation>
    </message>
    <message>
        <source>nothing was changed</source>
        <translation>nichts wurde geändert</translation>
    </message>
    <message>
        <source>%1: %2; %3.</source>
        <translation>%1: %2; %3.</translation>
    </message>
</context>
<context>
    <name>resources</name>
    <message>
        <source>Handwritten digits</source>
        <translation>Handgeschriebene Ziffern</translation>
    </message>
    <message>
        <source>A small convolutional network that reads 8 by 8 grey images of digits, trained on the digits of scikit-learn.</source>
        <translation>Ein kleines Faltungsnetz, das 8 mal 8 Pixel große Graustufenbilder von Ziffern liest, trainiert mit den Ziffern von scikit-learn.</translation>
    </message>
    <message>
        <source>Run forward on a sample image and look at the channels of features.relu1: what does each answer to?</source>
        <translation>Führen Sie ein Beispielbild vorwärts aus und sehen Sie sich die Kanäle von features.relu1 an: Worauf spricht jeder an?</translation>
    </message>
    <message>
        <source>Run backward and open the gradient of the input: which pixels speak for the answer?</source>
        <translation>Führen Sie rückwärts aus und öffnen Sie den Gradienten der Eingabe: Welche Pixel sprechen für die Antwort?</translation>
    </message>
    <message>
        <source>Open IR and passes with the freeze pipeline and watch each batch normalisation fold into the convolution before it.</source>
        <translation>Öffnen Sie IR und Passes mit der Pipeline freeze und sehen Sie, wie jede Batch-Normalisierung in die Faltung davor gefaltet wird.</translation>
    </message>
    <message>
        <source>Which language?</source>
        <translation>Welche Sprache?</translation>
    </message>
    <message>
        <source>A two-layer bidirectional LSTM over ASCII codes that tells English, German, French and Spanish apart.</source>
        <translation>Ein zweischichtiges bidirektionales LSTM über ASCII-Codes, das Englisch, Deutsch, Französisch und Spanisch unterscheidet.</translation>
    </message>
    <message>
        <source>Type a sentence as input and see which of the four logits is largest.</source>
        <translation>Geben Sie einen Satz als Eingabe ein und sehen Sie, welches der vier Logits am größten ist.</translation>
    </message>
    <message>
        <source>Compare the gradient of the embedding for two sentences: which letters matter?</source>
        <translation>Vergleichen Sie den Gradienten des Embeddings für zwei Sätze: Welche Buchstaben zählen?</translation>
    </message>
    <message>
        <source>Step into the LSTM and look at the last hidden state of each direction.</source>
        <translation>Gehen Sie in das LSTM hinein und sehen Sie sich den letzten Hidden State jeder Richtung an.</translation>
    </message>
    <message>
        <source>A small GPT</source>
        <translation>Ein kleines GPT</translation>
    </message>
    <message>
        <source>A two-layer Transformer over ASCII codes that continues counting, the alphabet, or a word said again and again.</source>
        <translation>Ein zweischichtiger Transformer über ASCII-Codes, der Zählen, das Alphabet oder ein wiederholtes Wort fortsetzt.</translation>
    </message>
    <message>
        <source>Open the softmax of blocks.1.attention: heads 0 and 2 look at what followed the same letter last time (an induction head).</source>
        <translation>Öffnen Sie die Softmax von blocks.1.attention: Die Heads 0 und 2 schauen auf das, was letztes Mal auf denselben Buchstaben folgte (ein Induction Head).</translation>
    </message>
    <message>
        <source>Type &apos;abcdefgh&apos; or &apos;acegik&apos; as input and read the largest logit at the last position.</source>
        <translation>Geben Sie &apos;abcdefgh&apos; oder &apos;acegik&apos; ein und lesen Sie das größte Logit an der letzten Position.</translation>
    </message>
    <message>
        <source>Set a breakpoint on the softmax of the first block and look at the mask.</source>
        <translation>Setzen Sie einen Haltepunkt auf die Softmax des ersten Blocks und sehen Sie sich die Maske an.</translation>
    </message>
    <message>
        <source>Channels of a convolution</source>
        <translation>Kanäle einer Faltung</translation>
    </message>
    <message>
        <source>What does each channel answer to?</source>
        <translation>Worauf spricht jeder Kanal an?</translation>
    </message>
    <message>
        <source>Open the digits model.</source>
        <translation>Öffnen Sie das Ziffernmodell.</translation>
    </message>
    <message>
        <source>Run forward on the sample picture. You can draw another digit.</source>
        <translation>Führen Sie das Beispielbild vorwärts aus. Sie können auch eine andere Ziffer zeichnen.</translation>
    </message>
    <message>
        <source>The first activation: what the first convolution and normalisation let through.</source>
        <translation>Die erste Aktivierung: was die erste Faltung und Normalisierung durchlassen.</translation>
    </message>
    <message>
        <source>Each channel is a picture: some answer to edges from above, some to strokes that lean.</source>
        <translation>Jeder Kanal ist ein Bild: Manche sprechen auf Kanten von oben an, manche auf schräge Striche.</translation>
    </message>
    <message>
        <source>Batch norm folds into convolution</source>
        <translation>Batch-Norm verschwindet in der Faltung</translation>
    </message>
    <message>
        <source>A pass at work.</source>
        <translation>Ein Pass bei der Arbeit.</translation>
    </message>
    <message>
        <source>The pipeline freeze makes weights constants, and folds what is constant.</source>
        <translation>Die Pipeline freeze macht Gewichte zu Konstanten und faltet, was konstant ist.</translation>
    </message>
    <message>
        <source>Choose the pass that folds batch norms: each normalisation vanishes into the convolution before it, whose weights change.</source>
        <translation>Wählen Sie den Pass, der Batch-Normen faltet: Jede Normalisierung verschwindet in der Faltung davor, deren Gewichte sich ändern.</translation>
    </message>
    <message>
        <source>Pixels that speak for the answer</source>
        <translation>Pixel, die für die Antwort sprechen</translation>
    </message>
    <message>
        <source>The gradient of the input.</source>
        <translation>Der Gradient der Eingabe.</translation>
    </message>
    <message>
        <source>Tick Backward and run: gradients go back to the picture.</source>
        <translation>Haken Sie Rückwärts an und führen Sie aus: Gradienten gehen zurück bis zum Bild.</translation>
    </message>
    <message>
        <source>The gradient of the input: pixels that would raise the outputs are bright, those that would lower them dark.</source>
        <translation>Der Gradient der Eingabe: Pixel, die die Ausgaben heben würden, sind hell, solche, die sie senken würden, dunkel.</translation>
    </message>
    <message>
        <source>Gradient flow compares the layers: where gradients vanish or explode.</source>
        <translation>Gradientenfluss vergleicht die Schichten: wo Gradienten verschwinden oder explodieren.</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>Erste Schritte</translation>
    </message>
    <message>
        <source>Open a model, run it, step through it, look at a tensor.</source>
        <translation>Ein Modell öffnen, ausführen, schrittweise durchgehen, einen Tensor ansehen.</translation>
    </message>
    <message>
        <source>This is a small network that reads handwritten digits. It ships with the program.</source>
        <translation>Dies ist ein kleines Netz, das handgeschriebene Ziffern liest. Es wird mit dem Programm geliefert.</translation>
    </message>
    <message>
        <source>Graph shows it as boxes of modules. The wheel goes into a group, double click opens it; Map shows modules as tiles.</source>
        <translation>Graph zeigt es als Kästen von Modulen. Das Mausrad geht in eine Gruppe hinein, ein Doppelklick öffnet sie; Karte zeigt Module als Kacheln.</translation>
    </message>
    <message>
        <source>Run it: every operator becomes a row of Events.</source>
        <translation>Führen Sie es aus: Jeder Operator wird zu einer Zeile in Ereignisse.</translation>
    </message>
    <message>
        <source>A click on a row makes it the current event, in all panels. This is the first convolution.</source>
        <translation>Ein Klick auf eine Zeile macht sie in allen Panels zum aktuellen Ereignis. Dies ist die erste Faltung.</translation>
    </message>
    <message>
        <source>Tensor shows what it made: every channel of the picture. Right click asks where a number comes from, or changes it.</source>
        <translation>Tensor zeigt, was sie erzeugte: jeden Kanal des Bildes. Ein Rechtsklick fragt, woher eine Zahl kommt, oder ändert sie.</translation>
    </message>
    <message>
        <source>Step into a new run: it is parked before its first operator. F10 goes over, F11 into, Shift+F10 looks back.</source>
        <translation>Gehen Sie in einen neuen Lauf hinein: Er hält vor seinem ersten Operator an. F10 geht darüber, F11 hinein, Umschalt+F10 schaut zurück.</translation>
    </message>
    <message>
        <source>F7 goes on to where backward begins, when Backward is ticked in Inputs. F5 runs to the end.</source>
        <translation>F7 geht dorthin, wo rückwärts beginnt, wenn Rückwärts in Eingaben angehakt ist. F5 läuft bis zum Ende.</translation>
    </message>
    <message>
        <source>The command palette (Ctrl+Shift+P) finds every command, Ctrl+P every module; F1 explains the current operator.</source>
        <translation>Die Befehlspalette (Strg+Umschalt+P) findet jeden Befehl, Strg+P jedes Modul; F1 erklärt den aktuellen Operator.</translation>
    </message>
    <message>
        <source>What comes next?</source>
        <translation>Was kommt als Nächstes?</translation>
    </message>
    <message>
        <source>Read the largest logit at the last position.</source>
        <translation>Das größte Logit an der letzten Position lesen.</translation>
    </message>
    <message>
        <source>A Transformer that continues counting, the alphabet, or a word said again and again.</source>
        <translation>Ein Transformer, der Zählen, das Alphabet oder ein wiederholtes Wort fortsetzt.</translation>
    </message>
    <message>
        <source>Type a beginning: abcdefgh.</source>
        <translation>Geben Sie einen Anfang ein: abcdefgh.</translation>
    </message>
    <message>
        <source>The likeliest letter at the last position.</source>
        <translation>Der wahrscheinlichste Buchstabe an der letzten Position.</translation>
    </message>
    <message>
        <source>An induction head</source>
        <translation>Ein Induction Head</translation>
    </message>
    <message>
        <source>Heads that look at what followed last time.</source>
        <translation>Heads, die auf das schauen, was letztes Mal folgte.</translation>
    </message>
    <message>
        <source>A Transformer of two layers over letters.</source>
        <translation>Ein Transformer mit zwei Schichten über Buchstaben.</translation>
    </message>
    <message>
        <source>Run it on its sample text.</source>
        <translation>Führen Sie ihn mit seinem Beispieltext aus.</translation>
    </message>
    <message>
        <source>The attention of the second block.</source>
        <translation>Die Attention des zweiten Blocks.</translation>
    </message>
    <message>
        <source>A row is a query, a column a key. Heads 0 and 2 of the second block look at what followed the same letter last time.</source>
        <translation>Eine Zeile ist eine Query, eine Spalte ein Key. Die Heads 0 und 2 des zweiten Blocks schauen auf das, was letztes Mal auf denselben Buchstaben folgte.</translation>
    </message>
    <message>
        <source>The mask of attention</source>
        <translation>Die Maske der Attention</translation>
    </message>
    <message>
        <source>Stop before a softmax and look at what it reads.</source>
        <translation>Vor einer Softmax anhalten und ansehen, was sie liest.</translation>
    </message>
    <message>
        <source>Open the small GPT.</source>
        <translation>Öffnen Sie das kleine GPT.</translation>
    </message>
    <message>
        <source>Run once, so that the softmax can be chosen.</source>
        <translation>Führen Sie es einmal aus, damit die Softmax gewählt werden kann.</translation>
    </message>
    <message>
        <source>The softmax of the first block. F9 sets a breakpoint on it.</source>
        <translation>Die Softmax des ersten Blocks. F9 setzt einen Haltepunkt auf sie.</translation>
    </message>
    <message>
        <source>The run stops before it.</source>
        <translation>Der Lauf hält vor ihr an.</translation>
    </message>
    <message>
        <source>Its input is what the mask left: -inf where a token lies in the future.</source>
        <translation>Ihre Eingabe ist, was die Maske übrig ließ: -inf, wo ein Token in der Zukunft liegt.</translation>
    </message>
    <message>
        <source>Remove the breakpoint and run on.</source>
        <translation>Entfernen Sie den Haltepunkt und führen Sie weiter aus.</translation>
    </message>
    <message>
        <source>Is my conversion right?</source>
        <translation>Ist meine Konvertierung richtig?</translation>
    </message>
    <message>
        <source>Hold one run against another, operator by operator.</source>
        <translation>Einen Lauf gegen einen anderen halten, Operator für Operator.</translation>
    </message>
    <message>
        <source>Run it as it is.</source>
        <translation>Führen Sie es aus, wie es ist.</translation>
    </message>
    <message>
        <source>Pin this run as the reference: every panel then shows how others differ.</source>
        <translation>Heften Sie diesen Lauf als Referenz an: Jedes Panel zeigt dann, wie andere abweichen.</translation>
    </message>
    <message>
        <source>Run it another way: compiled. In Compare a file can be the reference too: the ONNX, a checkpoint, arrays of PyTorch.</source>
        <translation>Führen Sie es anders aus: kompiliert. In Vergleich kann auch eine Datei die Referenz sein: das ONNX-Modell, ein Checkpoint, Arrays von PyTorch.</translation>
    </message>
    <message>
        <source>Layer by layer: the greatest difference, the signal to noise, and what is beyond tolerance. Ctrl+D goes to the first divergence.</source>
        <translation>Schicht für Schicht: die größte Differenz, der Signal-Rausch-Abstand und was außerhalb der Toleranz liegt. Strg+D geht zur ersten Abweichung.</translation>
    </message>
    <message>
        <source>Unpin it; the panels show one run again.</source>
        <translation>Lösen Sie sie; die Panels zeigen wieder einen Lauf.</translation>
    </message>
    <message>
        <source>My loss is NaN</source>
        <translation>Mein Loss ist NaN</translation>
    </message>
    <message>
        <source>Find the operator that makes the first one, and why.</source>
        <translation>Den Operator finden, der das erste erzeugt, und warum.</translation>
    </message>
    <message>
        <source>A classifier with a loss written by hand. It gives NaN.</source>
        <translation>Ein Klassifikator mit einem von Hand geschriebenen Loss. Er ergibt NaN.</translation>
    </message>
    <message>
        <source>F6 runs to the operator that makes the first NaN or Inf. Those that only pass one on are no stops.</source>
        <translation>F6 läuft bis zu dem Operator, der das erste NaN oder Inf erzeugt. Bei solchen, die nur eines weiterreichen, wird nicht angehalten.</translation>
    </message>
    <message>
        <source>It is parked there. The row is red, and the status line says what made it: a logarithm of 0 gives -inf.</source>
        <translation>Dort hält er an. Die Zeile ist rot, und die Statuszeile sagt, was es erzeugte: Der Logarithmus von 0 ergibt -inf.</translation>
    </message>
    <message>
        <source>Its source stands here, with the line that ran.</source>
        <translation>Sein Quelltext steht hier, mit der Zeile, die lief.</translation>
    </message>
    <message>
        <source>Tensor marks the elements that are not finite; the inputs of the operator are in the list above it.</source>
        <translation>Tensor markiert die Elemente, die nicht endlich sind; die Eingaben des Operators stehen in der Liste darüber.</translation>
    </message>
    <message>
        <source>Explain says where a bad element comes from: which input made it, back to the weights.</source>
        <translation>Erklären sagt, woher ein schlechtes Element kommt: welche Eingabe es ergab, zurück bis zu den Gewichten.</translation>
    </message>
    <message>
        <source>The remedy: torch.nn.functional.cross_entropy on the scores, which never takes the logarithm of a probability that became 0.</source>
        <translation>Abhilfe: torch.nn.functional.cross_entropy auf den Scores, das nie den Logarithmus einer Wahrscheinlichkeit nimmt, die 0 wurde.</translation>
    </message>
    <message>
        <source>Which letters matter?</source>
        <translation>Welche Buchstaben zählen?</translation>
    </message>
    <message>
        <source>The gradient of the embedding.</source>
        <translation>Der Gradient des Embeddings.</translation>
    </message>
    <message>
        <source>Open the language model.</source>
        <translation>Öffnen Sie das Sprachmodell.</translation>
    </message>
    <message>
        <source>Tick Backward and run on a sentence.</source>
        <translation>Haken Sie Rückwärts an und führen Sie einen Satz aus.</translation>
    </message>
    <message>
        <source>The embedding of every letter; its gradient says which of them move the answer.</source>
        <translation>Das Embedding jedes Buchstabens; sein Gradient sagt, welche von ihnen die Antwort bewegen.</translation>
    </message>
    <message>
        <source>Gradient flow lists the parameters, with the norms of their gradients.</source>
        <translation>Gradientenfluss führt die Parameter mit den Normen ihrer Gradienten auf.</translation>
    </message>
    <message>
        <source>Which language is it?</source>
        <translation>Welche Sprache ist es?</translation>
    </message>
    <message>
        <source>Type a sentence and read the answer.</source>
        <translation>Einen Satz eingeben und die Antwort lesen.</translation>
    </message>
    <message>
        <source>An LSTM that tells four languages apart by their letters.</source>
        <translation>Ein LSTM, das vier Sprachen an ihren Buchstaben unterscheidet.</translation>
    </message>
    <message>
        <source>Type a sentence here; it becomes the input.</source>
        <translation>Geben Sie hier einen Satz ein; er wird zur Eingabe.</translation>
    </message>
    <message>
        <source>Four logits: the largest is the language.</source>
        <translation>Vier Logits: Das größte ist die Sprache.</translation>
    </message>
    <message>
        <source>Hidden states of an LSTM</source>
        <translation>Hidden States eines LSTM</translation>
    </message>
    <message>
        <source>Both directions, step by step.</source>
        <translation>Beide Richtungen, Schritt für Schritt.</translation>
    </message>
    <message>
        <source>Run it.</source>
        <translation>Führen Sie es aus.</translation>
    </message>
    <message>
        <source>The LSTM is one operator with three results: all hidden states, the last of each direction, and the cells.</source>
        <translation>Das LSTM ist ein Operator mit drei Ergebnissen: alle Hidden States, der letzte jeder Richtung, und die Zellen.</translation>
    </message>
    <message>
        <source>Choose a result above the picture: the second is the last hidden state, of two layers in two directions.</source>
        <translation>Wählen Sie ein Ergebnis über dem Bild: Das zweite ist der letzte Hidden State, von zwei Schichten in zwei Richtungen.</translation>
    </message>
    <message>
        <source>What did this pass do?</source>
        <translation>Was hat dieser Pass getan?</translation>
    </message>
    <message>
        <source>Graphs before and after every pass.</source>
        <translation>Graphen vor und nach jedem Pass.</translation>
    </message>
    <message>
        <source>IR and passes runs a pipeline on the graph: inference folds and fuses.</source>
        <translation>IR und Passes führt eine Pipeline auf dem Graphen aus: inference faltet und fusioniert.</translation>
    </message>
    <message>
        <source>Passes that changed the graph stand on the left, with their node counts; before and after stand side by side, linked by where lines came from.</source>
        <translation>Links stehen die Passes, die den Graphen geändert haben, mit ihren Knotenzahlen; vorher und nachher stehen nebeneinander, verknüpft danach, woher Zeilen kamen.</translation>
    </message>
    <message>
        <source>Check runs the graph after each pass and holds its outputs against the first.</source>
        <translation>Prüfen führt den Graphen nach jedem Pass aus und vergleicht seine Ausgaben mit denen des ersten.</translation>
    </message>
    <message>
        <source>Where does this number come from?</source>
        <translation>Woher kommt diese Zahl?</translation>
    </message>
    <message>
        <source>From an answer back to the pixels.</source>
        <translation>Von einer Antwort zurück zu den Pixeln.</translation>
    </message>
    <message>
        <source>The last event gives the ten logits.</source>
        <translation>Das letzte Ereignis ergibt die zehn Logits.</translation>
    </message>
    <message>
        <source>Explain says which elements made the greatest of them, each with its share; shares and constant add up to the number.</source>
        <translation>Erklären sagt, welche Elemente das größte davon ergaben, jedes mit seinem Anteil; Anteile und Konstante summieren sich zur Zahl.</translation>
    </message>
    <message>
        <source>Open an element to go a step further back, or press To the inputs for all the way.</source>
        <translation>Öffnen Sie ein Element, um einen Schritt weiter zurückzugehen, oder drücken Sie „Bis zu den Eingaben“ für den ganzen Weg.</translation>
    </message>
    <message>
        <source>Who holds the memory?</source>
        <translation>Wer hält den Speicher?</translation>
    </message>
    <message>
        <source>Every block that is alive at an event, with its owner.</source>
        <translation>Jeder bei einem Ereignis belegte Block, mit seinem Besitzer.</translation>
    </message>
    <message>
        <source>What backward needs is kept during forward: tick Backward and run.</source>
        <translation>Was rückwärts braucht, wird vorwärts behalten: Haken Sie Rückwärts an und führen Sie aus.</translation>
    </message>
    <message>
        <source>The curve is bytes over events, by category; the peak is marked with its cause. Click into it.</source>
        <translation>Die Kurve zeigt Bytes über die Ereignisse, je Kategorie; die Spitze ist mit ihrer Ursache markiert. Klicken Sie hinein.</translation>
    </message>
    <message>
        <source>By module: what each layer&apos;s forward and backward left alive.</source>
        <translation>Je Modul: was vorwärts und rückwärts jeder Schicht belegt zurückließen.</translation>
    </message>
    <message>
        <source>Memory plan lays out the buffers of the compiled graph, and asks what if: a checkpoint, a smaller batch, another dtype.</source>
        <translation>Speicherplan ordnet die Puffer des kompilierten Graphen an und fragt, was wäre wenn: ein Checkpoint, ein kleinerer Batch, ein anderer dtype.</translation>
    </message>
    <message>
        <source>Why is it slow?</source>
        <translation>Warum ist es langsam?</translation>
    </message>
    <message>
        <source>Warm times of every operator, and where they are.</source>
        <translation>Warme Zeiten jedes Operators, und wo sie anfallen.</translation>
    </message>
    <message>
        <source>The digits model again; any other will do.</source>
        <translation>Noch einmal das Ziffernmodell; jedes andere geht auch.</translation>
    </message>
    <message>
        <source>Run it once, so that there is something to time.</source>
        <translation>Führen Sie es einmal aus, damit es etwas zu messen gibt.</translation>
    </message>
    <message>
        <source>A first run pays for set-up. Time it properly repeats it until it is warm: every operator gets its median and spread.</source>
        <translation>Ein erster Lauf zahlt für die Einrichtung. Genau messen wiederholt ihn, bis er warm ist: Jeder Operator bekommt Median und Streuung.</translation>
    </message>
    <message>
        <source>Colour the graph by time: bright is slow. Map makes areas of it.</source>
        <translation>Färben Sie den Graphen nach Zeit: hell ist langsam. Karte macht Flächen daraus.</translation>
    </message>
    <message>
        <source>Timeline shows when each ran; drag over a range for its sums.</source>
        <translation>Zeitachse zeigt, wann jeder lief; ziehen Sie über einen Bereich für seine Summen.</translation>
    </message>
    <message>
        <source>Documentation says how far the current operator is from what the machine can do, which kernel ran, and why others declined.</source>
        <translation>Dokumentation sagt, wie weit der aktuelle Operator von dem entfernt ist, was der Rechner kann, welcher Kernel lief und warum andere ablehnten.</translation>
    </message>
</context>
</TS>
