function test_one_point() {
  assert.throws(() => LineChart([[1, 1]], "x", "y"), ValueError);
  assert.throws(() => LineChart([], "x", "y"), ValueError);
}

function test_no_numbers() {
  for (const wrong of [NaN, Infinity]) {
    assert.throws(() => LineChart([[0, 0], [1, wrong]], "x", "y"), ValueError);
  }
}
