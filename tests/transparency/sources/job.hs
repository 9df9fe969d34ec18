-- SPDX-License-Identifier: GPL-2.0-or-later
-- A Haskell program that prints the same each time: maps, laziness, garbage, concurrent threads.
import Control.Concurrent
import Control.Exception
import qualified Data.Map.Strict as M

primes :: [Int]
primes = sieve [2 ..] where sieve (p : xs) = p : sieve [x | x <- xs, x `mod` p /= 0]

main :: IO ()
main = do
  print (primes !! 400)
  let m = foldr (\i -> M.insertWith (+) (i * 7919 `mod` 1009) i) M.empty [1 .. 20000 :: Int]
  print (M.size m, M.foldl' (+) 0 m)
  done <- newEmptyMVar
  _ <- forkIO (putMVar done (sum [1 .. 100000 :: Int]))
  takeMVar done >>= print
  r <- try (evaluate (1 `div` (0 :: Int))) :: IO (Either ArithException Int)
  print r
