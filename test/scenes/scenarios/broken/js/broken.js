function load() {
  fetch('/stock/list'
}
