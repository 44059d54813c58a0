// SPDX-License-Identifier: Apache-2.0
#include "plugins/mpi/mailbox.h"

#include <climits>

#include "core/base/error.h"
#include "plugins/mpi/types.h"

namespace loupe::mpi {

void MpiMailbox::let_go() {
    for (auto each = sent_.begin(); each != sent_.end();) {
        int is_done = 0;
        check(MPI_Test(&each->request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        each = is_done != 0 ? sent_.erase(each) : std::next(each);
    }
}

void MpiMailbox::post(int rank, int box, std::string bytes) {
    let_go();
    if (bytes.size() > INT_MAX) throw Error(ErrorKind::Run, "a letter of more than 2 GiB");
    Sent& sent = sent_.emplace_back();
    sent.bytes = std::move(bytes);
    check(MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, rank, box, comm_, &sent.request),
          "MPI_Isend");
}

std::optional<distributed::Letter> MpiMailbox::take(int box) {
    if (!sent_.empty()) let_go();
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, box, comm_, &is_there, &message, &status), "MPI_Improbe");
    if (is_there == 0) return std::nullopt;
    int size = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    distributed::Letter letter;
    letter.from = status.MPI_SOURCE;
    letter.bytes.resize(static_cast<std::size_t>(size));
    check(MPI_Mrecv(letter.bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    return letter;
}

}  // namespace loupe::mpi
