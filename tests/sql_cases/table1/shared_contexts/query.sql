-- the paper's example: "neue Haus" and "Haus" share one context, with 1/6 and 1/3
SELECT * FROM shared_contexts(7, 1)
