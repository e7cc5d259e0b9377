import type { Command } from 'commander'
import { snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import type { Snapshot, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import { chooseDevice, type SerialOption } from './terminal/chosen-device.ts'
import {
  connect,
  type ConnectionOptions,
  print,
  report,
  withConnection,
} from './terminal/connection.ts'
import { ProgressLine } from './terminal/progress-line.ts'

type SnapshotOptions = ConnectionOptions & SerialOption & { readonly xml?: boolean }

export function addSnapshotCommand(program: Command): void {
  withConnection(
    program
      .command('snapshot')
      .description('what is on the screen now: elements and ways to name them'),
  )
    .option('--serial <serial>', 'which device (default: the only one connected)')
    .option('--xml', 'print the tree as the device gave it')
    .action((options: SnapshotOptions) => report(() => look(options)))
}

async function look(options: SnapshotOptions): Promise<void> {
  const call = connect(options)
  const serial = await chooseDevice(call, options)
  const progress = new ProgressLine()
  progress.show(`reading the screen of ${serial}`)
  const include_xml = options.xml === true
  const seen = await call(snapshotDevice, { params: { serial }, body: { include_xml } }).finally(
    () => progress.clear(),
  )
  print(options, seen, () => (include_xml ? (seen.xml ?? '') : outline(seen.snapshot)))
}

/** One line per element that says something or can be used, indented by those above it. */
export function outline(snapshot: Snapshot): string {
  const { elements } = snapshot
  const shown = elements.filter((element) => element.visible && isTelling(element))
  const kept = new Set(shown.map(({ index }) => index))
  const depthOf = (element: SnapshotElement): number => {
    const parent = element.parent_index === null ? undefined : elements[element.parent_index]
    if (parent === undefined) return 0
    return depthOf(parent) + (kept.has(parent.index) ? 1 : 0)
  }
  const head = [
    `${snapshot.activity ?? snapshot.package ?? 'unknown screen'}  revision ${snapshot.snapshot_revision}`,
    `fingerprint ${snapshot.fingerprint.slice(0, 16)}${snapshot.loading_state === null ? '' : '  (loading)'}`,
  ].join('  ')
  return [
    head,
    '',
    ...shown.map((element) => '  '.repeat(depthOf(element)) + describe(element)),
  ].join('\n')
}

function isTelling(element: SnapshotElement): boolean {
  const { label, clickable, checkable, scrollable, role } = element
  return label !== '' || clickable || checkable || scrollable || role === 'text_field'
}

function describe(element: SnapshotElement): string {
  const { role, matcher_role, label, password, selector } = element
  const words = password ? '(password)' : label === '' ? '' : JSON.stringify(label)
  const marks = marksOf(element)
  return [role ?? matcher_role, words, selectorWords(selector), marks === '' ? '' : `[${marks}]`]
    .filter((part) => part !== '')
    .join(' ')
}

function selectorWords(selector: SnapshotElement['selector']): string {
  if (selector === null || selector.source === 'text' || selector.source === 'class') return ''
  const sign = selector.source === 'resource_id' ? '#' : '@'
  const times = selector.matches > 1 ? ` (1 of ${selector.matches})` : ''
  return `${sign}${selector.value}${times}`
}

function marksOf({ clickable, scrollable, enabled, state }: SnapshotElement): string {
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
