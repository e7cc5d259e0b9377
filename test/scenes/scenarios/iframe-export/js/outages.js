var day = document.getElementById('day')

function show() {
  var request = new XMLHttpRequest()
  request.open('GET', '/outages/api/' + document.getElementById('district').value + '/list?day=' + encodeURIComponent(day.value))
  request.onload = function () {
    var answer = JSON.parse(request.responseText)
    document.querySelector('#outages tbody').innerHTML = answer.rows
      .map((row) => `<tr><td>${row.feeder}</td><td>${row.start}</td><td>${row.minutes}</td></tr>`)
      .join('')
  }
  request.send()
}

document.getElementById('filter').addEventListener('submit', function (event) {
  event.preventDefault()
  show()
})
document.getElementById('download').onclick = function () {
  location.href = '/outages/api/export?day=' + day.value
}
