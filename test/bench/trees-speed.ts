import { parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from '../../src/screen/matcher.ts'
import { describeScreenKind } from '../../src/screen/structure/screen-kind.ts'
import { analyzeStructure } from '../../src/screen/structure/structure.ts'

export interface SpeedResult {
  readonly shape: string
  readonly nodes: number
  /** Milliseconds to find and classify all groups and rows, and to describe the kind of the screen. The best of some runs. */
  readonly analysis_ms: number
  readonly kind_ms: number
}

const RUNS = 8

export function measureSpeed(): SpeedResult[] {
  return Object.entries(SHAPES).flatMap(([shape, build]) =>
    [5_000, 10_000].map((size) => {
      const visible = readNodes(build(size))
      const analysis = Array.from({ length: RUNS }, () => time(() => analyzeAll(visible)))
      const kind = Array.from({ length: RUNS }, () => time(() => describeScreenKind(visible)))
      return { shape, nodes: visible.length, analysis_ms: Math.min(...analysis), kind_ms: Math.min(...kind) }
    }),
  )
}

function analyzeAll(visible: ReturnType<typeof readNodes>): number {
  const structure = analyzeStructure(visible)
  return structure.groups.filter((group) => structure.classify(group) === 'data').length + structure.rows.length
}

/** Time of the processor, so that other programs do not count. */
function time(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function readNodes(body: string) {
  const read = parseHierarchy(`<hierarchy rotation="0">${body}</hierarchy>`)
  if (!read.ok) throw new Error(read.message)
  return collectOnScreenNodes(read.hierarchy.roots, findWindow(read.hierarchy))
}

const element = (attributes: string, bounds: readonly number[], inner = ''): string => {
  const [left, top, right, bottom] = bounds
  return `<node ${attributes} package="a" bounds="[${left},${top}][${right},${bottom}]">${inner}</node>`
}
const text = (label: string, bounds: readonly number[]) =>
  element(`class="android.widget.TextView" text="${label}"`, bounds)
const box = (attributes: string, bounds: readonly number[], inner: string) =>
  element(`class="android.view.ViewGroup" ${attributes}`, bounds, inner)

/** Trees of about the given number of nodes. Rows are one pixel high each, so that all of them are on the screen. */
const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  'one long list': (size) => {
    const rows = Array.from({ length: size / 4 }, (_, at) => {
      const place = [0, at * 3, 1000, at * 3 + 3]
      const texts = [text(`Row ${at}`, place), text(`${at}:00`, place), text('Ready', place)]
      return box('clickable="true"', place, texts.slice(0, 2 + (at % 2)).join(''))
    })
    return box('scrollable="true"', [0, 0, 1000, size], rows.join(''))
  },
  'all rows different': (size) => {
    const rows = Array.from({ length: size / 10 }, (_, at) => {
      const place = [0, at * 8, 1000, at * 8 + 8]
      const parts = Array.from({ length: 9 }, (__, part) =>
        ((at >> part) & 1) === 0 ? text(`${at}`, place) : box('clickable="true"', place, ''),
      )
      return box('clickable="true"', place, parts.join(''))
    })
    return box('scrollable="true"', [0, 0, 1000, size], rows.join(''))
  },
  'boxes in boxes': (size) => {
    const columns = Array.from({ length: size / 200 }, (_, at) => {
      const place = [0, at * 100, 1000, at * 100 + 100]
      let inner = text(`Leaf ${at}`, place)
      for (let level = 0; level < 99; level += 1) inner = box('', place, inner + text(`${level}`, place))
      return inner
    })
    return box('', [0, 0, 1000, size], columns.join(''))
  },
  'leaves of one parent': (size) => {
    const leaves = Array.from({ length: size }, (_, at) =>
      element(`class="android.view.View" clickable="true" content-desc="Card ${at}&#10;Open"`, [0, at, 1000, at + 1]),
    )
    return box('scrollable="true"', [0, 0, 1000, size], leaves.join(''))
  },
}
