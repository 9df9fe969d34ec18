# SPDX-License-Identifier: GPL-2.0-or-later
"""Resets signals for tests, however they were started: nohup ignores SIGHUP, a shell without job
control ignores SIGINT and SIGQUIT in background jobs, others block some. Each program that a test
starts would inherit that, and a shell could not trap the signals.
"""
import signal


def set_to_default():
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        # Python ignores SIGPIPE and SIGXFSZ itself, and gives them back to what it starts.
        if signal.getsignal(number) == signal.SIG_IGN and number not in (signal.SIGPIPE,
                                                                         signal.SIGXFSZ):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT
                          else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
