import { expect, test } from 'vitest'
import { findAgreedAnchor } from '../../src/screen/matcher.ts'
import { parseHierarchy } from '../../src/screen/tree/hierarchy.ts'

const node = (id: string, text: string, top: number): string =>
  `<node index="0" text="${text}" resource-id="org.example:id/${id}" class="android.widget.Button" package="org.example"
    content-desc="" clickable="true" enabled="true" bounds="[0,${top}][200,${top + 100}]" />`

const screen = (nodes: readonly string[]) => {
  const xml = `<hierarchy rotation="0"><node index="0" text="" resource-id="" class="android.widget.FrameLayout"
    package="org.example" content-desc="" bounds="[0,0][1080,1920]">${nodes.join('')}</node></hierarchy>`
  const read = parseHierarchy(xml)
  if (!read.ok) throw new Error(read.message)
  return read.hierarchy
}

const SCREEN = screen([node('save', 'Save', 0), node('delete', 'Delete', 200)])
const id = (name: string) => ({ resourceId: `org.example:id/${name}` })
const MISSING = id('old')

test.each([
  ['two anchors find one node', [{ textEquals: 'Save' }, id('save')], 1],
  ['the only anchor finds one node', [id('save')], 1],
  ['one of several anchors finds a node', [{ textEquals: 'Store' }, id('save')], undefined],
  ['the anchors find two nodes', [{ textEquals: 'Delete' }, id('save'), { textEquals: 'Save' }], undefined],
  ['an anchor is ambiguous and one other finds a node', [{ class: 'android.widget.Button' }, id('save')], undefined],
  ['no anchor finds a node', [id('gone'), { textEquals: 'Store' }], undefined],
])('%s', (_, fallbacks, anchor) => {
  expect(findAgreedAnchor(SCREEN, { ...MISSING, fallbacks })).toBe(anchor)
})

test('the matcher itself counts, because its container may be what is missing', () => {
  expect(findAgreedAnchor(SCREEN, { ...id('save'), fallbacks: [{ textEquals: 'Save' }] })).toBe(0)
})
