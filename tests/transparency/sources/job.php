<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays, strings, closures and exceptions; the same output each time.
$count = [];
for ($i = 0; $i < 100000; $i++)
	$count[$i * 7919 % 997] = ($count[$i * 7919 % 997] ?? 0) + $i;
ksort($count);
echo array_sum($count), ' ', md5(json_encode($count)), "\n";
$words = array_map(fn($i) => (string)($i * $i % 1009), range(1, 3000));
sort($words, SORT_STRING);
echo implode(',', array_slice($words, 0, 8)), ' ', preg_match_all('/1[0-9]2/', implode(' ', $words)), "\n";
try {
	intdiv(1, 0);
} catch (DivisionByZeroError $e) {
	echo $e->getMessage(), "\n";
}
