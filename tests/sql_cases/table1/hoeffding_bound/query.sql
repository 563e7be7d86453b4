SELECT hoeffding_bound(1, 2, 0.05) AS small, hoeffding_bound(100, 100, 0.05) AS large
