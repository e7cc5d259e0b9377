import type { Command } from 'commander'
import { snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import type { Snapshot, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import { chooseDevice, type SerialOption } from './terminal/device-choice.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { ProgressLine } from './terminal/progress-line.ts'

type SnapshotOptions = ConnectionOptions & SerialOption & { readonly xml?: boolean }

export function addSnapshotCommand(program: Command): void {
  withConnection(
    program
      .command('snapshot')
      .summary('print the elements on the screen')
      .description('Prints the elements on the screen and their selectors.'),
  )
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('--xml', 'print the UI tree of the device as XML')
    .action((options: SnapshotOptions) => reportFailures(() => printSnapshot(options)))
}

async function printSnapshot(options: SnapshotOptions): Promise<void> {
  const call = connect(options)
  const serial = await chooseDevice(call, options)
  const progress = new ProgressLine()
  progress.show(`reading the screen of ${serial}`)
  const include_xml = options.xml === true
  const reply = await call(snapshotDevice, { params: { serial }, body: { include_xml } }).finally(() =>
    progress.clear(),
  )
  printResult(options, reply, () => (include_xml ? (reply.xml ?? '') : formatOutline(reply.snapshot)))
}

/** One line per element that has a label or can be used, indented under its parents. */
export function formatOutline(snapshot: Snapshot): string {
  const { elements } = snapshot
  const printed = elements.filter((element) => element.visible && isWorthPrinting(element))
  const indexes = new Set(printed.map(({ index }) => index))
  const measureDepth = (element: SnapshotElement): number => {
    const parent = element.parent_index === null ? undefined : elements[element.parent_index]
    if (parent === undefined) return 0
    return measureDepth(parent) + (indexes.has(parent.index) ? 1 : 0)
  }
  const head = [
    `${snapshot.activity ?? snapshot.package ?? 'unknown screen'}  revision ${snapshot.snapshot_revision}`,
    `fingerprint ${snapshot.fingerprint.slice(0, 16)}${snapshot.loading_state === null ? '' : '  (loading)'}`,
  ].join('  ')
  return [head, '', ...printed.map((element) => '  '.repeat(measureDepth(element)) + formatElement(element))].join('\n')
}

function isWorthPrinting(element: SnapshotElement): boolean {
  const { label, clickable, checkable, scrollable, role } = element
  return label !== '' || clickable || checkable || scrollable || role === 'text_field'
}

function formatElement(element: SnapshotElement): string {
  const { role, matcher_role, label, password, selector } = element
  const text = password ? '(password)' : label === '' ? '' : JSON.stringify(label)
  const marks = formatMarks(element)
  return [role ?? matcher_role, text, formatSelector(selector), marks === '' ? '' : `[${marks}]`]
    .filter((part) => part !== '')
    .join(' ')
}

function formatSelector(selector: SnapshotElement['selector']): string {
  if (selector === null || selector.source === 'text' || selector.source === 'class') return ''
  const sign = selector.source === 'resource_id' ? '#' : '@'
  const times = selector.matches > 1 ? ` (1 of ${selector.matches})` : ''
  return `${sign}${selector.value}${times}`
}

function formatMarks({ clickable, scrollable, enabled, state }: SnapshotElement): string {
  return [
    clickable ? 'tap' : '',
    scrollable ? 'scroll' : '',
    state.checked === undefined ? '' : state.checked ? 'on' : 'off',
    state.selected === true ? 'selected' : '',
    state.focused === true ? 'focused' : '',
    enabled ? '' : 'disabled',
  ]
    .filter((mark) => mark !== '')
    .join(' ')
}
