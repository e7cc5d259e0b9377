const API = '/sales/api'
const PAGE_SIZE = 20

layui.use(['table', 'laydate'], function () {
  const table = layui.table
  layui.laydate.render({ elem: '#statMonth', type: 'month' })

  const cols = [
    { field: 'orgName', title: '供电单位' },
    { field: 'userCount', title: '户数' },
    { field: 'saleKwh', title: '售电量(kWh)' },
    { field: 'amount', title: '电费(元)' },
  ]

  fetch('data/orgs.json')
    .then((response) => response.json())
    .then((orgs) => orgs.forEach((org) => document.getElementById('orgSelect').appendChild(new Option(org.name, org.code))))

  async function load(pageNo) {
    const query = {
      orgNo: document.getElementById('orgSelect').value,
      statMonth: document.querySelector('#statMonth').value,
      dataType: '01',
      pageNo: pageNo,
      pageSize: PAGE_SIZE,
    }
    const response = await fetch(`${API}/monthly/list`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: localStorage.getItem('token') },
      body: JSON.stringify(query),
    })
    const answer = await response.json()
    table.reloadData('grid', { cols: [cols], data: answer.data.records })
    document.title = `售电量月报 ${answer.data.total}`
  }

  document.getElementById('search').onclick = () => load(1)
  document.getElementById('export').onclick = () => {
    window.open(`${API}/monthly/export?orgNo=${document.getElementById('orgSelect').value}`)
  }
})
