const PAGE_SIZE = 10
const find = (id) => document.getElementById(id)
let found = []
let page = 1

/** The page shows nothing for a moment, as one that waits for a server. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 30))

async function search(form) {
  const [depot, from, to] = ['depot', 'from', 'to'].map((name) => form.elements[name].value)
  find('loading').hidden = false
  find('error').hidden = true
  delete find('results').dataset.search
  const response = await fetch(`/fuel/data/${depot}`)
  await pause()
  find('loading').hidden = true
  if (!response.ok) {
    find('error').textContent = `The server answered ${response.status}.`
    find('error').hidden = false
    return
  }
  found = (await response.json()).filter(([, date]) => from <= date && date <= to)
  page = 1
  showPage()
  find('results').dataset.search = `${depot} ${from} ${to}`
}

function showPage() {
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE))
  const lines = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((cells) => {
    const line = document.createElement('tr')
    for (const text of cells) line.insertCell().textContent = text
    return line
  })
  find('results').tBodies[0].replaceChildren(...lines)
  find('total').textContent = String(found.length)
  find('page').textContent = `Page ${page} of ${pages}`
  find('previous').disabled = page === 1
  find('next').disabled = page === pages
}

async function turnTo(number) {
  find('loading').hidden = false
  await pause()
  find('loading').hidden = true
  page = number
  showPage()
}

find('search').addEventListener('submit', (event) => {
  event.preventDefault()
  void search(event.target)
})
find('previous').addEventListener('click', () => void turnTo(page - 1))
find('next').addEventListener('click', () => void turnTo(page + 1))
