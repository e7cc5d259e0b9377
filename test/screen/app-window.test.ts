import { expect, test } from 'vitest'
import { readDialogText } from '../../src/screen/dialog.ts'
import { attribute, findAppRoots, parseHierarchy, readAppPackage } from '../../src/screen/tree/hierarchy.ts'
import { buildSnapshot } from '../../src/screen/snapshot.ts'
import { buildCapture } from './snapshot-builder.ts'
import { type Sketch, node, printDump, screen, text } from './tree-builder.ts'

const statusBar = node({ package: 'com.android.systemui', bounds: '[0,0][1080,72]' }, text('12:30'))
const edge = node({ package: 'gesture', bounds: '[0,100][40,2200]' })
const keyboard = node({ package: 'com.keys', bounds: '[0,1400][1080,2200]' })
const app = node({ package: 'com.shop' }, text('Cart'))
const panel = node({ package: 'com.android.systemui' }, text('Quick settings'))

test.each<[string, readonly Sketch[], string]>([
  ['after the status bar', [statusBar, app], 'com.shop'],
  ['before the status bar', [app, statusBar], 'com.shop'],
  ['among edges and a keyboard', [keyboard, edge, statusBar, app], 'com.shop'],
  ['as large as a panel of the system', [panel, app], 'com.shop'],
  ['absent: the panel is all there is', [edge, panel, statusBar], 'com.android.systemui'],
])('the window of the app is found %s', (_, roots, expected) => {
  const hierarchy = screen(...roots)
  expect(readAppPackage(hierarchy)).toBe(expected)
  expect(findAppRoots(hierarchy).every((root) => attribute(root, 'package') === expected)).toBe(true)
  expect(buildSnapshot(buildCapture(roots), null).package).toBe(expected)
})

test('windows of the app beside its largest one belong to it', () => {
  const sheet = node({ package: 'com.shop', bounds: '[0,1000][1080,2200]' }, text('Pay'))
  expect(findAppRoots(screen(statusBar, app, sheet))).toHaveLength(2)
})

test('a dialog is read beside the status bar', () => {
  const dialog = node(
    { package: 'com.shop', bounds: '[100,800][980,1400]' },
    text('Delete?', { bounds: '[140,850][940,950]' }),
  )
  expect(readDialogText(screen(statusBar, dialog))).toBe('Delete?')
  expect(readDialogText(screen(statusBar, app))).toBeUndefined()
})

const DUMP = printDump(text('Größe 寸法'))
const LITTLE = Buffer.from(DUMP, 'utf16le')
const BIG = Buffer.from(DUMP, 'utf16le').swap16()

test.each([
  ['UTF-8', Buffer.from(DUMP)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${DUMP}`)],
  ['UTF-16 little-endian', LITTLE],
  ['UTF-16 little-endian with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), LITTLE])],
  ['UTF-16 big-endian', BIG],
  ['UTF-16 big-endian with a mark', Buffer.concat([Buffer.from([0xfe, 0xff]), BIG])],
])('bytes in %s are read', (_, bytes) => {
  const read = parseHierarchy(bytes)
  expect(read.ok && read.hierarchy.nodes.map((one) => attribute(one, 'text'))).toEqual(['Größe 寸法'])
})

test('no bytes are no tree', () => {
  expect(parseHierarchy(new Uint8Array())).toMatchObject({ ok: false, fault: 'no_hierarchy' })
})

test('a page source with class names as elements is read with its hints', () => {
  const source = `<hierarchy index="0" class="hierarchy" rotation="1" width="1920" height="1080">
    <android.widget.FrameLayout package="com.shop" bounds="[0,0][1920,1080]">
      <android.widget.EditText hint="E-mail" text="" bounds="[0,0][900,100]" />
      <com.shop.ChartPane class="com.shop.Chart" bounds="[0,100][900,200]" />
    </android.widget.FrameLayout>
  </hierarchy>`
  const read = parseHierarchy(source)
  expect(read.ok && read.hierarchy.nodes.map((one) => attribute(one, 'class'))).toEqual([
    'android.widget.FrameLayout',
    'android.widget.EditText',
    'com.shop.Chart',
  ])
  expect(read.ok && read.hierarchy.nodes.map((one) => attribute(one, 'hint'))).toEqual(['', 'E-mail', ''])
  expect(read.ok && read.hierarchy.rotation).toBe(1)
})

test('elements that are neither nodes nor classes are refused', () => {
  expect(parseHierarchy('<hierarchy><script/></hierarchy>')).toMatchObject({ ok: false, fault: 'malformed' })
})
