-- No tables: with this version's functions checkpoints are committed only while the history is in an expected epoch, and
-- a replica of an older version that starts later leaves them as they are.
SELECT;
