// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contract of the command line, in test_cli.cpp; of the files that it writes, in test_cli_files.cpp.

#include <QObject>

class TestCli : public QObject {
    Q_OBJECT

  private slots:
    void fixtures_data();
    void fixtures();
    void forms_data();
    void forms();
    void narrow_types_are_widened();
    void lines_of_ranks_come_whole();
    void writes_gradient_norms();
    void tuples_are_inputs();
    void reads_pictures_and_arrays();
    void statuses_data();
    void statuses();
    void writes_outputs_and_gradients();
    void prints_a_row_an_event();
    void prints_no_numbers_of_nothing_finite();
    void backward_starts_where_chosen();
    void a_dead_layer_is_told();
    void writes_a_trace();
    void lists();
    void bisect_names_the_pass();
    void trace_says_what_differs();
    void explain_prints_where_a_number_comes_from();
    void a_run_goes_on_with_changed_values();
    void graphs_as_text_are_models();
    void check_tells_a_difference();
    void missing_operators();
    void records_a_run();
    void tells_warnings();
    void converts_models_data() { fixtures_data(); }
    void converts_models();
    void converts_after_passes_data();
    void converts_after_passes();
    void converts_weights();
    void converting_fails_whole();
    void convert_names_what_plugins_write();
    void threads_that_wait_sleep_soon();
    void never_overwrites_what_is_no_output();
    void a_file_that_is_standard_output();
    void never_overwrites_what_it_reads();
    void a_full_disk_is_told();
    void a_training_that_ends_badly_keeps_its_steps();
    void a_training_checks_its_files_first();
    void a_training_stopped_before_its_first_step_writes_nothing();
    void outputs_never_become_a_source_s_own_weights();
    void numbers_that_are_none_are_refused();
    void check_says_what_it_did_not_compare();
    void nothing_is_waited_for();
    void a_signal_keeps_what_was_asked_for_data();
    void a_signal_keeps_what_was_asked_for();
};
