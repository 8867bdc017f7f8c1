// Parameters of the saved queries: change them to your dataset and questions, then run this. => keeps whole numbers whole
:param dataset => 'survey';
:param epsilon => 1.0;
:param k => 5;
:param record => 'r193';
:param hamming_group => 0;
:param run => 'a';
:param grouping => 'groups';
