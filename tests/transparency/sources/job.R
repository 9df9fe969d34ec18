# SPDX-License-Identifier: GPL-2.0-or-later
# Vectors, matrices, data frames and a model; the same output each time.
n <- 20000
x <- ((1:n) * 7919) %% 1009
print(summary(x))
m <- matrix(x[1:10000], 100)
print(round(sum(m %*% m) / 1e6, 3))
d <- data.frame(k = x %% 7, v = x)
print(aggregate(v ~ k, d, mean))
print(round(coef(lm(v ~ k, d)), 6))
print(tryCatch(stop("caught"), error = function(e) conditionMessage(e)))
