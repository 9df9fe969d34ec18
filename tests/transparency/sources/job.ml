(* SPDX-License-Identifier: GPL-2.0-or-later *)
(* An OCaml program that prints the same each time: hash tables, lists, garbage, exceptions. *)
let () =
  let table = Hashtbl.create 16 in
  for i = 1 to 50000 do
    Hashtbl.replace table (i * 7919 mod 1009) i
  done;
  let keys = List.sort compare (Hashtbl.fold (fun k v l -> (v, k) :: l) table []) in
  Printf.printf "%d %d\n" (List.length keys) (fst (List.hd keys));
  let rec tree d = if d = 0 then [] else (d :: tree (d - 1)) @ tree (d - 1) in
  Printf.printf "%d\n" (List.length (tree 14));
  try ignore (List.hd []) with Failure what -> print_endline what
