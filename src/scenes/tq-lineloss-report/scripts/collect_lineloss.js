const PAGE_PATH = '/gsllys/tqLinelossStatis/tqQualifyRateMonitor'
const DATA_PATH = '/gsllys/tqLinelossStatis'
const LOGIN_REQUIRED = 401

const COLUMNS = [
  { key: 'tg_no', label: '台区编号', type: 'text' },
  { key: 'tg_name', label: '台区名称', type: 'text' },
  { key: 'supply_kwh', label: '供电量(kWh)', type: 'number' },
  { key: 'sale_kwh', label: '售电量(kWh)', type: 'number' },
  { key: 'loss_rate', label: '线损率', type: 'percent' },
  { key: 'qualified', label: '是否合格', type: 'boolean' },
]

async function collect(args) {
  const wrongPage = findPageProblem(location.pathname, document.title)
  if (wrongPage !== undefined) return toArtifact(args, { status: 'blocked', warnings: [wrongPage] })
  const response = await fetch(toDataPath(args), { headers: { Accept: 'application/json' } })
  if (response.status === LOGIN_REQUIRED) return toArtifact(args, toLoginRequired())
  if (!response.ok) return toArtifact(args, { status: 'error', warnings: [`接口返回 ${response.status}。`] })
  return toArtifact(args, readAnswer(await response.json()))
}

function findPageProblem(path, title) {
  if (path !== PAGE_PATH) return `当前页面是 ${path},不是台区线损监测页面。`
  if (!title.includes('线损')) return `页面标题“${title}”中没有“线损”。`
  return undefined
}

function toDataPath({ org_code, period }) {
  const at = period.mode === 'month' ? period.start.slice(0, 7) : period.start
  return `${DATA_PATH}/${period.mode}/${encodeURIComponent(org_code)}/${at}`
}

const toLoginRequired = () => ({ status: 'blocked', warnings: ['登录已失效,请在页面中重新登录。'] })

function readAnswer(answer) {
  if (answer.code === LOGIN_REQUIRED) return toLoginRequired()
  if (answer.code !== 0) return { status: 'error', warnings: [`接口返回错误:${answer.message ?? answer.code}`] }
  const rows = answer.data.rows.map(toRow)
  if (rows.length === 0) return { status: 'empty', warnings: [] }
  const warnings = []
  if (rows.length < answer.data.total) warnings.push(`共有 ${answer.data.total} 个台区,只返回了 ${rows.length} 个。`)
  const incomplete = rows.filter((row) => !isComplete(row))
  if (incomplete.length > 0) warnings.push(`${incomplete.length} 个台区缺少电量,未计入合计。`)
  return { status: warnings.length === 0 ? 'ok' : 'partial', rows, totals: sumUp(rows.filter(isComplete)), warnings }
}

const toRow = (item) => ({
  tg_no: item.tgNo,
  tg_name: item.tgName,
  supply_kwh: toNumber(item.supplyKwh),
  sale_kwh: toNumber(item.saleKwh),
  loss_rate: toNumber(item.lossRate),
  qualified: item.qualified === undefined ? null : item.qualified === '1',
})

/** The system sends numbers as text, with separators of thousands, and a dash for none. */
function toNumber(value) {
  if (typeof value === 'number') return value
  const text = String(value ?? '')
    .replaceAll(',', '')
    .replace('%', '')
    .trim()
  return text === '' || Number.isNaN(Number(text)) ? null : Number(text)
}

const isComplete = ({ supply_kwh, sale_kwh }) => supply_kwh !== null && sale_kwh !== null

function sumUp(rows) {
  const add = (key) => Math.round(rows.reduce((sum, row) => sum + row[key], 0) * 100) / 100
  const supply_kwh = add('supply_kwh')
  const sale_kwh = add('sale_kwh')
  const loss_rate = supply_kwh === 0 ? null : Math.round(((supply_kwh - sale_kwh) / supply_kwh) * 10_000) / 100
  return { tg_no: '合计', tg_name: null, supply_kwh, sale_kwh, loss_rate, qualified: null }
}

const toArtifact = ({ org_label, period }, { status, rows = [], totals, warnings }) => ({
  type: 'report-artifact',
  status,
  title: `${org_label}台区线损${period.mode === 'month' ? '月累计' : '周累计'}`,
  period: period.label,
  columns: COLUMNS,
  rows,
  ...(totals === undefined ? {} : { totals }),
  warnings,
  source: { url: location.href, collected_at: new Date().toISOString() },
})
