// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/studies.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/session/query_record.h"
#include "core/study/studies/study_record.h"

namespace loupe::session {
namespace {

StudySubject subject_of(QueryContext& context) {
    const std::shared_ptr<Program> program = context.model_or_recorded();
    std::shared_ptr<const TextModel> text;
    try {
        text = context.text_model();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;  // else it has no tokenizer
    }
    const std::string method = program->default_method();
    return {program, method,
            [program, method, inputs = context.inputs()] { return program->make_arguments(inputs, method); }, text};
}

StudyList studies_answer(const StudiesQuery&, QueryContext& context) {
    plugins();
    const StudySubject subject = subject_of(context);
    StudyList out;
    for (const StudyRecord* study : all_studies()) out.studies.push_back(describe_study(*study, subject));
    return out;
}

StudyResult study_answer(const StudyQuery& query, QueryContext& context,
                         const std::function<void(StudyProgress)>& progress) {
    plugins();
    const StudyRecord* const study = find_study(query.name);
    if (study == nullptr) throw Error(ErrorKind::Usage, concat("no study ", loupe::quoted(query.name)));
    StudyOutcome made = run_study(*study, subject_of(context), query.options, progress);
    if (!query.file.empty()) write_npz(query.file, made.arrays);
    return std::move(made.result);
}

}  // namespace

const QueryRecord& StudiesQuery::record() {
    static constexpr QueryRecord kRecord = query_record<StudiesQuery, studies_answer>({.name = "studies"});
    return kRecord;
}

const QueryRecord& StudyQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<StudyQuery, study_answer>({.name = "study", .not_while = NotWhile::ParkedOrRunning});
    return kRecord;
}

}  // namespace loupe::session
