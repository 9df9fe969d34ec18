{ SPDX-License-Identifier: GPL-2.0-or-later }
{ A Free Pascal program that prints the same each time: arrays, strings, classes, exceptions. }
program job;
{$mode objfpc}{$H+}
uses SysUtils, Classes;
var
  n: array[0..99999] of longint;
  i, sum: longint;
  words: TStringList;
begin
  for i := 0 to high(n) do
    n[i] := (i * 7919) mod 100003;
  sum := 0;
  for i := 0 to high(n) do
    sum := (sum + n[n[i] mod 100000] xor i) and $ffffff;
  writeln(sum);
  words := TStringList.Create;
  for i := 1 to 5000 do
    words.Add(IntToStr(i * i mod 1009));
  words.Sort;
  writeln(words[0], ' ', words[2500], ' ', words[4999]);
  words.Free;
  try
    writeln(n[0] div (sum - sum));
  except
    on e: Exception do
      writeln(e.ClassName);
  end;
end.
