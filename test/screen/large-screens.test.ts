import { expect, test } from 'vitest'
import { snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import type { Driver } from '../../src/devices/driver/driver.ts'
import { takeSnapshot } from '../../src/devices/driver/screen-snapshot.ts'
import { parseDump } from '../../src/devices/engine/screen-reading.ts'
import { locateElement } from '../../src/domain/capture/element-lookup.ts'
import { printSnapshotReply } from '../../src/device-runtime/devices/snapshot-reply.ts'
import { printWithoutPasswords } from '../../src/screen/hierarchy-print.ts'
import { diffSnapshots } from '../../src/screen/diff.ts'
import { findElements } from '../../src/screen/find-element.ts'
import { buildSnapshot } from '../../src/screen/snapshot.ts'
import { parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'

/** The most that a dump may have. */
const NODES = 20_000
/** A turn of the event loop. Parts take 10 ms; the collection of garbage is added to some of them. */
const LONGEST_TURN_MS = 100
/** With a loop over all elements for each element it would be seconds. */
const LONGEST_LOOK_MS = 400

const FLAGS = ['checkable', 'checked', 'clickable', 'enabled', 'focusable', 'scrollable', 'password', 'selected']
  .map((name) => ` ${name}="${name === 'enabled'}"`)
  .join('')
const printNode = (at: number, inner = ''): string =>
  `<node index="${at}" text="Row ${at} &amp; 𝒳&#10;" resource-id="a:id/row${at % 7}" class="android.widget.TextView" package="a" content-desc="Ä ${at}"${FLAGS} bounds="[0,${at}][1080,${at + 1}]">${inner}</node>`
const rows = Array.from({ length: NODES / 2 - 1 }, (_, at) => printNode(at, printNode(at)))
const XML = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node class="android.widget.FrameLayout" package="a" bounds="[0,0][1080,${NODES}]">${rows.join('')}</node></hierarchy>`

const LIMITS = { timeoutMs: 60_000, signal: new AbortController().signal }
/** Only the phone is missing: it answers with the dump. */
const driver = {
  serial: 'large',
  dump: () => Promise.resolve({ outcome: 'ok', xml: XML }),
  foreground: () => Promise.resolve({ package: 'a', activity: 'a/.Main' }),
} as unknown as Driver

test('reading and sending the largest screen leaves the event loop its turns, with the same result', async () => {
  await readAndSend()
  let sent: Awaited<ReturnType<typeof readAndSend>> | undefined
  const turn = await measureLongestTurn(async () => void (sent = await readAndSend()))
  expect(turn).toBeLessThan(LONGEST_TURN_MS)

  const read = parseHierarchy(XML)
  if (!read.ok || sent === undefined) throw new Error('The screen cannot be read.')
  expect(read.hierarchy.nodes).toHaveLength(NODES - 1)
  const { dump_started_ms, dump_finished_ms } = sent.snapshot
  const capture = { ...read, serial: 'large', activity: 'a/.Main', resolution: null, dump_started_ms, dump_finished_ms }
  const snapshot = buildSnapshot(capture, null)
  const whole = snapshotDevice.reply.parse({ snapshot, schema_version: 1 })
  expect(sent.reply === JSON.stringify(whole)).toBe(true)
}, 60_000)

async function readAndSend() {
  const { snapshot } = await takeSnapshot(driver, LIMITS, null)
  return { snapshot, reply: await printSnapshotReply({ snapshot, schema_version: 1 }) }
}

test('an execution reads and stores the largest screen in turns', async () => {
  const times = { serial: 'large', startedMs: 1, finishedMs: 2 }
  const readAndPrint = async () => {
    const result = await parseDump({ outcome: 'ok', xml: XML }, times)
    if (!result.ok) throw new Error(result.text)
    const { reading } = result
    return { reading, xml: await reading.printXml(), fingerprint: reading.fingerprint }
  }
  const { reading, xml } = await readAndPrint()
  expect(await measureLongestTurn(readAndPrint)).toBeLessThan(LONGEST_TURN_MS)
  expect(xml === printWithoutPasswords(reading.hierarchy)).toBe(true)
  expect(xml === XML.replaceAll('"></node>', '" />')).toBe(true)
}, 60_000)

const print = (text: string, inner = '', { top = 0, height = 10, more = '' } = {}): string =>
  `<node text="${text}" class="android.widget.TextView" package="a" enabled="true"${more} bounds="[0,${top}][1080,${top + height}]">${inner}</node>`
const printScreen = (inner: string): string =>
  `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">${print('', inner, { height: NODES })}</hierarchy>`
/** Elements in each other that say the same, and none that can be touched. */
const printNest = (depth: number): string => (depth === 0 ? '' : print('the same words', printNest(depth - 1)))
const NESTS = printScreen(printNest(49).repeat(400))
/** Lists below each other, each with a row. From another start every row is one list further up. */
const printLists = (from: number): string => {
  const row = (at: number) => print(`Row ${at + from}`, '', { top: at })
  const lists = Array.from({ length: 9998 }, (_, at) => print('', row(at), { more: ' scrollable="true"' }))
  return printScreen(lists.join(''))
}

const readScreen = (xml: string) =>
  takeSnapshot({ ...driver, dump: () => Promise.resolve({ outcome: 'ok', xml }) }, LIMITS, null)

test.each([
  [
    'searching',
    async () => {
      const { snapshot } = await readScreen(NESTS)
      return () => expect(findElements(snapshot, { query: 'words', exact: false })).toHaveLength(19_600)
    },
  ],
  [
    'pointing at',
    async () => {
      const { hierarchy } = await readScreen(NESTS)
      // Of each nest the innermost is meant.
      const selector = { textContains: 'words' }
      return () => expect(() => locateElement(hierarchy, { screen: 'after', selector })).toThrow('matches 400 elements')
    },
  ],
  [
    'comparing',
    async () => {
      const [before, after] = [await readScreen(printLists(0)), await readScreen(printLists(1))]
      return () => expect(diffSnapshots(before.snapshot, after.snapshot).scrolled).toHaveLength(9997)
    },
  ],
])(
  '%s the largest screens takes time that grows with their size only',
  async (_what, prepare) => {
    const work = await prepare()
    const turn = await measureLongestTurn(() => Promise.resolve(work()))
    expect(turn).toBeLessThan(LONGEST_LOOK_MS)
  },
  60_000,
)
