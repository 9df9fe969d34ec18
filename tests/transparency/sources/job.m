% SPDX-License-Identifier: GPL-2.0-or-later
% Matrices, strings and errors; the same output each time.
n = 20000;
x = mod((1:n) * 7919, 1009);
printf("%d %d\n", sum(x), numel(unique(x)));
m = reshape(x(1:10000), 100, 100);
printf("%.3f %.6f\n", sum(sum(m * m)) / 1e6, norm(m) / 1e3);
s = sort(arrayfun(@(i) mod(i * i, 1009), 1:3000));
printf("%d ", s(1:300:end)); printf("\n");
try
  error("caught");
catch e
  disp(e.message);
end
