import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Hierarchy, type UiNode, parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { printWithoutPasswords } from '../../src/screen/hierarchy-print.ts'
import { type Sketch, printDump, hexEscaped, node, screen, text } from './tree-builder.ts'
import { countRuns } from '../kit/count-runs.ts'

const HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
const ONE = printDump(text('Battery'))

function only(hierarchy: Hierarchy): UiNode {
  const [first] = hierarchy.nodes
  if (first === undefined) throw new Error('no node')
  return first
}

test('a dump is parsed to a tree with paths, parents and bounds', () => {
  const hierarchy = screen(
    node({ bounds: '[0,0][100,200]' }, text('A', { bounds: '[-5,10][50,60]' }), node({}, text('B'))),
  )
  expect(hierarchy.rotation).toBe(0)
  expect(hierarchy.nodes.map(({ path, depth }) => [path, depth])).toEqual([
    ['0', 0],
    ['0.0', 1],
    ['0.1', 1],
    ['0.1.0', 2],
  ])
  expect(hierarchy.nodes[1]?.bounds).toEqual({ left: -5, top: 10, right: 50, bottom: 60 })
  expect(hierarchy.nodes[3]?.parent).toBe(hierarchy.nodes[2])
  expect(hierarchy.roots[0]?.children[1]).toBe(hierarchy.nodes[2])
})

test('text before and after the tree is ignored', () => {
  const read = parseHierarchy(`WARNING: linker\n${ONE}\nUI hierchary dumped to: /dev/tty\n`)
  expect(read).toMatchObject({ ok: true, removed_characters: 0 })
})

test('rotation is parsed, and an invalid one is 0', () => {
  const turned = ONE.replace('rotation="0"', 'rotation="3"')
  expect(parseHierarchy(turned)).toMatchObject({ hierarchy: { rotation: 3 } })
  const odd = ONE.replace('rotation="0"', 'rotation="x"')
  expect(parseHierarchy(odd)).toMatchObject({ hierarchy: { rotation: 0 } })
})

test.each([
  ['nothing', '', 'no_hierarchy'],
  ['an error message', 'ERROR: could not get idle state.', 'no_hierarchy'],
  ['a tree cut inside a tag', ONE.slice(0, -40), 'truncated'],
  ['a tree cut between tags', ONE.replace('</node></hierarchy>', ''), 'truncated'],
  ['an unclosed node', ONE.replace('</node></hierarchy>', '</hierarchy>'), 'malformed'],
  ['a mismatched tag', ONE.replace('</node>', '</nod>'), 'malformed'],
  ['text inside the tree', ONE.replace('</node>', 'Killed</node>'), 'malformed'],
  ['text in a CDATA section', ONE.replace('</node>', '<![CDATA[x]]></node>'), 'malformed'],
  ['another element', ONE.replace('</node>', '<window/></node>'), 'malformed'],
  ['the same attribute twice', ONE.replace('index=', 'index="1" index='), 'malformed'],
  ['an unknown entity', ONE.replace('Battery', '&name;'), 'malformed'],
  ['two trees', ONE + ONE, 'malformed'],
  ['a tree without a node', `${HEAD}<hierarchy rotation="0"></hierarchy>`, 'empty'],
  ['a tree closed at once', `${HEAD}<hierarchy rotation="0" />`, 'empty'],
  ['a document type', ONE.replace(HEAD, `${HEAD}<!DOCTYPE hierarchy [<!ENTITY a "b">]>`), 'doctype'],
  ['a document type alone', ONE.replace(HEAD, '<!DOCTYPE hierarchy>'), 'doctype'],
  ['a tree too deep', nested(300), 'malformed'],
])('%s is refused', (_, dump, fault) => {
  expect(parseHierarchy(dump)).toMatchObject({ ok: false, fault })
})

test.each([
  ['a raw control character', 'a\u0001b'],
  ['a control character by number', 'a&#x1;b'],
  ['a null by decimal number', 'a&#00;b'],
  ['half a surrogate pair', 'a\ud83db'],
])('%s is removed and counted', (_, value) => {
  const read = parseHierarchy(ONE.replace('Battery', value))
  if (!read.ok) throw new Error(read.message)
  expect(only(read.hierarchy).attributes['text']).toBe('ab')
  expect(read.removed_characters).toBe(1)
})

test('removing characters does not repair other damage', () => {
  const dump = ONE.replace('Battery', 'a\u0001b').replace('</node>', '')
  expect(parseHierarchy(dump)).toMatchObject({ ok: false, fault: 'malformed' })
})

test('whole emoji, line breaks and quotes survive', () => {
  const value = '\u{1f600} a\nb\t"c" <d> & \u00e9'
  const read = parseHierarchy(ONE.replace('Battery', hexEscaped(value)))
  if (!read.ok) throw new Error(read.message)
  expect(read.removed_characters).toBe(0)
  expect(only(read.hierarchy).attributes['text']).toBe(value)
})

test('three thousand nodes are parsed', () => {
  const rows = Array.from({ length: 1000 }, (_, at) => node({}, text(`Row ${at}`), node()))
  const hierarchy = screen(node({}, ...rows))
  expect(hierarchy.nodes).toHaveLength(3001)
  expect(hierarchy.nodes.at(-2)?.attributes['text']).toBe('Row 999')
})

test('printing a parsed dump gives the same bytes', () => {
  const dump = `${HEAD}<hierarchy rotation="1"><node index="0" text="A &amp; &quot;B&quot;&#10;" resource-id="x" bounds="[0,0][1,1]"><node NAF="true" text="" /></node></hierarchy>`
  const read = parseHierarchy(dump)
  if (!read.ok) throw new Error(read.message)
  expect(printWithoutPasswords(read.hierarchy)).toBe(dump)
})

test('a printed tree omits password text and keeps the attribute order', () => {
  const hierarchy = screen(text('hunter2', { password: 'true' }), text('plain'))
  const printed = printWithoutPasswords(hierarchy)
  expect(printed).not.toContain('hunter2')
  expect(printed).toContain('text="" resource-id=')
  expect(printed).toContain('text="plain"')
  expect(hierarchy.nodes.map(({ attributes }) => attributes['text'])).toContain('hunter2')
})

const name = fc.constantFrom('index', 'text', 'resource-id', 'class', 'NAF', 'hint', 'bounds', '_x')
const value = fc
  .string({ unit: 'binary', maxLength: 12 })
  .map((raw) => raw.replace(/[\p{Cc}\p{Surrogate}\ufffe\uffff]/gu, (c) => (c === '\n' ? c : '')))
const sketch = (levels: number): fc.Arbitrary<Sketch> =>
  fc.record({
    attributes: fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true }),
    children: levels === 0 ? fc.constant([]) : fc.array(sketch(levels - 1), { maxLength: 3 }),
  })

test('the parser reads naive output, and a naive parser reads the printed output', () => {
  fc.assert(
    fc.property(fc.array(sketch(3), { minLength: 1, maxLength: 3 }), fc.boolean(), (roots, spaced) => {
      const dump = printDump(...roots)
      const read = parseHierarchy(spaced ? dump.replaceAll('><', '>\r\n  <') : dump)
      if (!read.ok) throw new Error(read.message)
      expect(read.removed_characters).toBe(0)
      expect(read.hierarchy.roots.map(toSketch)).toEqual(roots.map(plain))
      expect(naiveParse(printWithoutPasswords(read.hierarchy))).toEqual(roots.map(plain))
    }),
    { numRuns: countRuns(1000) },
  )
})

type Plain = { readonly attributes: readonly (readonly string[])[]; readonly children: Plain[] }

function toSketch(tree: UiNode): Plain {
  return { attributes: Object.entries(tree.attributes), children: tree.children.map(toSketch) }
}

function plain(tree: Sketch): Plain {
  return { attributes: Object.entries(tree.attributes), children: tree.children.map(plain) }
}

function naiveParse(xml: string): Plain[] {
  const root: Plain = { attributes: [], children: [] }
  const open: Plain[] = [root]
  for (const [tag] of xml.matchAll(/<\/?node[^>]*>/g)) {
    if (tag.startsWith('</')) {
      open.pop()
      continue
    }
    const attributes = [...tag.matchAll(/ ([\w-]+)="([^"]*)"/g)].map((part) => [part[1] ?? '', unescape(part[2] ?? '')])
    const made: Plain = { attributes, children: [] }
    open.at(-1)?.children.push(made)
    if (!tag.endsWith('/>')) open.push(made)
  }
  return root.children
}

function unescape(value: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return value.replace(/&(?:#(\d+)|(\w+));/g, (_, code: string | undefined, word: string) =>
    code === undefined ? (names[word] ?? '?') : String.fromCodePoint(Number(code)),
  )
}

function nested(levels: number): string {
  let tree = text('deep')
  for (let level = 0; level < levels; level += 1) tree = node({}, tree)
  return printDump(tree)
}
