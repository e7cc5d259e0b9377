const valueOf = (id) => document.getElementById(id).value

async function loadRows() {
  const at = valueOf('mode') === 'month' ? valueOf('month') : valueOf('week')
  const response = await fetch(`/gsllys/tqLinelossStatis/${valueOf('mode')}/${valueOf('orgno')}/${at}`)
  const answer = response.ok ? await response.json() : { code: response.status, message: '没有数据' }
  showRows(answer.code === 0 ? answer.data.rows : [])
  document.getElementById('message').textContent = answer.code === 0 ? '' : answer.message
}

function showRows(rows) {
  const cells = (row) => [
    row.tgNo,
    row.tgName,
    row.supplyKwh,
    row.saleKwh,
    row.lossRate,
    row.qualified === '1' ? '是' : '否',
  ]
  document.getElementById('rows').replaceChildren(
    ...rows.map((row) => {
      const line = document.createElement('tr')
      for (const text of cells(row)) line.insertCell().textContent = text ?? '-'
      return line
    }),
  )
}

document.getElementById('query').addEventListener('submit', (event) => {
  event.preventDefault()
  void loadRows()
})
void loadRows()
