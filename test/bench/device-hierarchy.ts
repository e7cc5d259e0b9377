import { SaxesParser } from 'saxes'
import { parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { resolveTarget } from '../../src/screen/matcher.ts'
import { compareTimes } from './device-rig.ts'
import { type Figure, type Measure, median } from './figure.ts'

const NODE_COUNT = 3000
const ROUNDS = 40

/** Parsing a very large screen and finding its last row. */
export const deviceHierarchy: Figure = {
  name: 'device hierarchy',
  baseline: 'the XML parser alone on the same text',
  run: async () => [measure('few attributes', ''), measure('all attributes', PLAIN_ATTRIBUTES)],
}

function measure(what: string, attributes: string): Measure {
  const xml = buildLargeScreen(attributes)
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let round = -10; round < ROUNDS; round += 1) {
    const [mine, theirs] = [measureMs(() => readAndFind(xml)), measureMs(() => parseOnly(xml))]
    if (round < 0) continue
    ours.push(mine)
    bare.push(theirs)
  }
  const size = `${NODE_COUNT} nodes of ${what}, ${Math.round(xml.length / 1000)} kB`
  return compareTimes(2, { what: size, ours: median(ours), baseline: median(bare), unit: 'ms p50' })
}

function readAndFind(xml: string): void {
  const read = parseHierarchy(xml)
  if (!read.ok) throw new Error(read.message)
  const target = { matcher: { textEquals: `Row ${NODE_COUNT - 3}` }, strict: false }
  const found = resolveTarget(read.hierarchy, target)
  if (found.kind !== 'found') throw new Error('The last row was not found.')
}

function parseOnly(xml: string): void {
  let seen = 0
  const parser = new SaxesParser()
  parser.on('opentag', () => {
    seen += 1
  })
  parser.write(xml).close()
  if (seen !== NODE_COUNT + 1) throw new Error(`${seen} elements were parsed.`)
}

const PLAIN_ATTRIBUTES = [
  'resource-id="com.example:id/row" package="com.example" content-desc="" checkable="false"',
  'checked="false" clickable="true" enabled="true" focusable="true" focused="false"',
  'scrollable="false" long-clickable="false" password="false" selected="false" ',
].join(' ')

/** A dump of a list in a scrolling container. */
function buildLargeScreen(attributes: string): string {
  const node = (text: string, inside: string) =>
    `<node text="${text}" class="TextView" ${attributes}bounds="[0,90][900,99]"${
      inside === '' ? ' />' : `>${inside}</node>`
    }`
  const rows = Array.from({ length: NODE_COUNT - 2 }, (_, n) => node(`Row ${n}`, ''))
  const root = node('', node('', rows.join('')))
  return `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">${root}</hierarchy>`
}

function measureMs(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}
