"""Every row of the docs/errata.md has a test that shows it, or is a misprint."""

import re

import pytest
from house.checkout import ROOT

MISPRINT = "a misprint of a word, a caption or a reference: nothing to compute"
PRIVACY = "errata/test_privacy_claims.py"
MODIFIED = "errata/test_data_modification.py"
HARDNESS = "errata/test_hardness.py"
NARAYANAN = "errata/test_narayanan.py"
PREDICTIVE = "errata/test_predictive.py"
BOUNDS = "audit/test_diversity.py"
PARTITION = "partition/test_errata.py"
STRATEGIES = "anonymize/modification/test_strategies.py"

SHOWN_BY = {
    "SWLZ11, §4.2; SWLP10": f"{PRIVACY}::test_not_everybody_is_identifiable_with_at_most_1_in_k",
    "SWLZ11, §4.2: larger": f"{PRIVACY}::test_a_larger_epsilon_is_no_better_protection",
    "SWLZ11, Lemma 4.1": "audit/test_k_epsilon.py::test_lemma_4_1_is_false",
    "SWLZ11, Lemma 4.1, example": f"{PRIVACY}::test_lemma_4_1s_example_has_the_numbers_of_epsilon_1",
    "SWLZ11, Theorem 4.1": f"{PRIVACY}::test_theorem_4_1_is_refuted_by_its_own_example",
    "SWLZ11, Theorem 4.1, ⌊2·3/5⌋": "audit/test_k_epsilon.py::test_theorem_4_1_is_not_a_bound",
    "SWLZ11, Lemma 4.2, Cor. 4.1": f"{BOUNDS}::test_lemma_4_2_fails_under_the_papers_null_rule",
    "SWLZ11, Theorem 4.2": f"{BOUNDS}::test_theorem_4_2_fails_under_the_papers_null_rule",
    "SWLZ11, §5.2, Alg. 1": (
        "partition/papers/test_slicing.py::"
        "test_algorithm_1_to_the_letter_drops_both_of_two_records_that_are_apart"
    ),
    "SWLZ11, Alg. 1, line 4": MISPRINT,
    "SWLZ11, §5.2.2, ε = 5": f"{PARTITION}::test_swlz11_5_2_2_the_smallest_epsilon_depends_on_what_is_asked",
    "SWLZ11, §5.2.2, bisection": (
        f"{PARTITION}::test_swlz11_5_2_2_slicing_may_succeed_at_an_epsilon_and_fail_at_a_larger_one"
    ),
    "SWLZ11, §5.2.3, ε = 3": f"{PARTITION}::test_swlz11_5_2_3_so_does_the_smallest_epsilon_for_an_l",
    "SWLZ11, §5.2.3, bisection": "audit/frontier/test_frontier.py::test_the_counterexample_to_bisection",
    "SWLZ11, §5.2.3, [2.375, 3]": MISPRINT,
    "SWLZ11, §5.3, large groups": f"{PARTITION}::test_swlz11_5_3_a_large_group_need_not_have_more_than_three",
    "SWLZ11, §5.3, Case 2": f"{PARTITION}::test_swlz11_5_3_case_2_no_solution_found_is_not_no_solution",
    "SWLZ11, Eq. 12–17": (
        "errata/test_cost_model.py::test_eq_17_is_negative_between_1_and_the_golden_ratio_only"
    ),
    "SWLP10, Theorem 2": f"{HARDNESS}::test_theorem_2s_cost_is_reached_without_a_4_clique",
    "SWLP10, Problems 1 and 2": f"{PARTITION}::test_swlp10_problem_1_borrowing_takes_edges_away",
    "SWLP10, §4.3, always": (
        f"{PARTITION}::test_swlp10_problem_2_cliques_of_whole_components_need_not_be_of_k"
    ),
    "SWLP10, §4.4, Case 3": f"{MODIFIED}::test_case_3s_example_costs_8_and_not_10",
    "SWLP10, Case 2.1.1": f"{STRATEGIES}::test_erratum_epsilon_1_and_n_even_goes_to_the_centroid",
    "SWLP10, Case 2.1.2": f"{MODIFIED}::test_case_2_1_2_counts_to_n_plus_1",
    "SWLP10, Case 2.2.2, p is added": f"{MODIFIED}::test_case_2_2_2_adds_1_and_not_p",
    "SWLP10, Case 2.2.2 for ε = 0": (
        f"{STRATEGIES}::test_erratum_epsilon_0_and_a_fraction_cannot_keep_the_sum"
    ),
    "SWLP10, example (6)": f"{STRATEGIES}::test_the_matrices_of_the_paper",
    "SWLP10, example (4)": f"{MODIFIED}::test_example_4s_text_and_matrix_disagree_on_t1_only",
    "SWLP10, §4.5, all strategies": f"{STRATEGIES}::test_erratum_the_strategies_can_leave_the_scale",
    "SWLP10, §5.3, accuracy": MISPRINT,
    "SWLP10, §5.3, average": "utility/test_query_error.py::test_a_query_that_nobody_meets_is_drawn_again",
    "SWLP10, §5.3, Fig. 15d": "utility/test_membership.py::test_the_golden_ratio",
    "SWLP10, §5.3, Fig. 16, each": "errata/test_table.py::test_movielens_has_943_records",
    "SWLP10, §5.3, Fig. 16, accuracy": f"{PRIVACY}::test_a_random_class_is_predicted_once_in_five",
    "SWLP10, §5.3, Fig. 16, very close": (
        "utility/test_classification.py::test_gender_in_movielens_is_predicted_no_better_than_guessing"
    ),
    "SWLP10, §5.4, bounded": f"{PRIVACY}::test_the_sd_of_a_release_is_not_bounded_by_half_epsilon",
    "SWLP10, §5.4, coefficient": f"{PRIVACY}::test_a_clustering_coefficient_of_1_is_not_a_complete_graph",
    "SWLP10, §5.4, the inner product": (
        "utility/test_issue_measures.py::test_an_inner_product_is_over_the_issues_that_both_rate"
    ),
    "NS08, Def. 1": f"{NARAYANAN}::test_definition_1_needs_there_is_and_not_for_all",
    "NS08, Theorems 1 to 4": (
        "attack/test_theorem.py::test_theorems_2_to_4_are_false_by_their_words"
    ),
    "NS08, Theorem 5": f"{NARAYANAN}::test_theorem_5_is_false",
    "NS08, §5": MISPRINT,
    "NS08, captions": MISPRINT,
    "NS08, Figs 2 and 3": MISPRINT,
    "NS08, Fig. 7": "studies/papers/test_popularity.py::test_a_rare_film_leaves_fewer_bits_and_gives_more",
    "CTWY10, §4.3": f"{PREDICTIVE}::test_the_padded_mean_divides_by_the_group",
    "CTWY10, §4.3, ratings": f"{PREDICTIVE}::test_an_exact_mean_gives_raters_away",
    "CTWY10, §5.1": MISPRINT,
    "CTWY10, Theorem 5.2": f"{PREDICTIVE}::test_theorem_5_2_is_false_group_by_group",
    "CTWY10, Theorem 5.3": f"{PREDICTIVE}::test_theorem_5_3_fails_for_similar_users",
}
"""The beginning of a row's place, quotation marks aside -> the test that shows it."""


def places():
    """Return what the tables say, by paper and place."""
    said = {}
    for section in (ROOT / "docs" / "errata.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        paper = section.partition("\n")[0]
        rows = re.findall(r"^\| (.+?) \| (.+?) \|", section, re.MULTILINE)
        of_paper = {
            f"{paper}, {place}": what for place, what in rows if place not in ("place", "---")
        }
        said |= {re.sub(r"[\"“”]", "", place): what for place, what in of_paper.items()}
    return said


def test_every_row_is_shown_once():
    longest_first = sorted(SHOWN_BY, key=len, reverse=True)
    found = {
        place: next((key for key in longest_first if place.startswith(key)), None)
        for place in places()
    }
    assert [place for place, key in found.items() if key is None] == []
    assert sorted(found.values()) == sorted(SHOWN_BY)


@pytest.mark.parametrize("test", sorted({test for test in SHOWN_BY.values() if test != MISPRINT}))
def test_what_shows_it_is_there(test):
    path, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / "tests" / path).read_text(encoding="utf-8")


def test_only_misprints_go_without():
    said = {place: "misprint" in what for place, what in places().items()}
    for key, test in SHOWN_BY.items():
        if test == MISPRINT:
            assert all(said[place] for place in said if place.startswith(key)), key


def test_movielens_has_943_records(test_data):
    lines = (test_data / "ml-100k" / "u.data").read_text().splitlines()
    assert len({line.split("\t")[0] for line in lines}) == 943
