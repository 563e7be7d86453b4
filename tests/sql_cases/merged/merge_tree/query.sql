SELECT * FROM merge_tree('three')
