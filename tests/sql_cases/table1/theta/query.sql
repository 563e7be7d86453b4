SELECT theta(1) AS at_1, theta(0.01) AS at_one_in_hundred
