const LAST_MONTH = '2026-06'
const find = (id) => document.getElementById(id)

function showMonth(month) {
  const [year, number] = month.split('-').map(Number)
  const days = new Date(year, number, 0).getDate()
  find('calendar').dataset.month = month
  find('month').textContent = month
  find('later').disabled = month === LAST_MONTH
  find('days').replaceChildren(...Array.from({ length: days }, (_, at) => createDay(month, at + 1)))
}

function createDay(month, number) {
  const button = document.createElement('button')
  button.type = 'button'
  button.dataset.day = String(number)
  button.textContent = String(number)
  button.addEventListener('click', () => void showReport(`${month}-${String(number).padStart(2, '0')}`))
  return button
}

function turnMonth(step) {
  const [year, number] = find('calendar').dataset.month.split('-').map(Number)
  const at = new Date(Date.UTC(year, number - 1 + step, 1))
  showMonth(at.toISOString().slice(0, 7))
}

async function showReport(day) {
  find('calendar').hidden = true
  const response = await fetch(`/hydro/levels/${day}`)
  const rows = response.ok ? await response.json() : []
  const table = document.querySelector('table')
  table.tBodies[0].replaceChildren(
    ...rows.map((cells) => {
      const line = document.createElement('tr')
      for (const text of cells) line.insertCell().textContent = text
      return line
    }),
  )
  table.caption.textContent = `Levels on ${day}`
}

find('day').addEventListener('click', () => {
  find('calendar').hidden = !find('calendar').hidden
})
find('earlier').addEventListener('click', () => turnMonth(-1))
find('later').addEventListener('click', () => turnMonth(1))
showMonth(LAST_MONTH)
