import { expect, test } from 'vitest'
import { findStepCandidates } from '../../src/knowledge/interpret/draft/step-bodies.ts'
import { parseScreen } from '../../src/knowledge/interpret/read/screen.ts'
import { ScreenIndex } from '../../src/knowledge/interpret/read/screen-index.ts'
import { node, screen, type Sketch, text } from '../screen/tree-builder.ts'

/** Two bare radio buttons above each other. The words are drawn over them, or beside them. */
const halves = (left: number): Sketch[] =>
  ['AM', 'PM'].flatMap((name, at) => {
    const [top, bottom] = [676 + at * 96, 772 + at * 96]
    return [
      node({
        class: 'android.widget.RadioButton',
        clickable: 'true',
        checkable: 'true',
        checked: String(name === 'AM'),
        bounds: `[648,${top}][816,${bottom}]`,
      }),
      text(name, { bounds: `[${left},${top}][${left + 120},${bottom}]` }),
    ]
  })

function findPlaces(left: number) {
  const before = parseScreen(
    screen(
      node(
        { class: 'android.widget.FrameLayout', bounds: '[60,500][1020,1860]' },
        text('Select time', { bounds: '[168,598][432,646]' }),
        ...halves(left),
      ),
    ),
    '.Clock',
  )
  const members = before.nodes.filter((one) => one.attributes['class'] === 'android.widget.RadioButton')
  const option = members[1] ?? expect.fail('no option')
  const choice = { option, members, text: 'PM', options: ['AM', 'PM'], is_closed: true }
  const intent = {
    kind: 'pick',
    trace_id: 't',
    event_ids: ['e'],
    app: 'com.example',
    first_after: before,
    gesture: 'tap',
    node: option,
    before,
    after: before,
    choice,
    input: 'half',
  } as const
  return findStepCandidates(intent, {
    index: new ScreenIndex([]),
    examples: new Map([['half', 'PM']]),
    variable_texts: new Set(),
    entry_texts: new Set(),
    isOfApp: () => true,
    isPersonal: () => false,
  }).map(({ selector }) => selector)
}

test('a bare option is found by the text that is drawn over it', () => {
  expect(findPlaces(672)).toContainEqual({
    class: 'android.widget.TextView',
    part_equals: '${inputs.half}',
    annotation: 'VARIABLE',
  })
})

test('a text beside a bare option is not touched in its place', () => {
  expect(findPlaces(840).every((selector) => selector.class !== 'android.widget.TextView')).toBe(true)
})
