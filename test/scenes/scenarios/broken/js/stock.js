function load(where) {
  fetch(where).then((answer) => answer.json())
}
function refresh() {
  $.post('/stock/today', { store: window.app.store.current, at: new Date().toISOString() }, function (answer) {
    show(answer)
  })
}
