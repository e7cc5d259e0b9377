import { expect, test } from 'vitest'
import { listAffordances } from '../../src/knowledge/goal-search/affordances.ts'
import { toWayAction } from '../../src/knowledge/goal-search/planned-actions.ts'
import { buildScreen, label, type TestNode } from './screens.ts'

const list = (type: string, ...inside: readonly TestNode[]): TestNode => ({
  class: type,
  at: [0, 300, 1080, 900],
  is: 'scrollable',
  in: inside,
})

const card = (text: string, left: number, top: number): TestNode => ({
  at: [left, top, left + 400, top + 200],
  is: 'clickable',
  in: [label(text, [left + 20, top + 20, left + 380, top + 180])],
})

const readScrolls = (...nodes: readonly TestNode[]) =>
  listAffordances(buildScreen(...nodes))
    .filter(({ kind }) => kind === 'scroll')
    .map((way) => toWayAction(way).params['direction'])

test('a list scrolls the way its entries stand', () => {
  const plain = 'androidx.recyclerview.widget.RecyclerView'
  expect(readScrolls(list(plain, card('A', 0, 300), card('B', 0, 520)))).toEqual(['down'])
  expect(readScrolls(list(plain, card('A', 0, 300), card('B', 420, 300)))).toEqual(['right'])
  expect(readScrolls(list('android.widget.HorizontalScrollView', card('A', 0, 300)))).toEqual(['right'])
})

test('what only shows a value is called by the label beside it too', () => {
  const row = (name: string, value: TestNode): TestNode => ({
    at: [0, value.at[1], 1080, value.at[3]],
    in: [label(name, [40, value.at[1], 400, value.at[3]]), value],
  })
  const screen = buildScreen(
    row('Modo', {
      class: 'android.widget.Spinner',
      at: [500, 300, 1000, 400],
      is: 'clickable',
      in: [label('Eco', [520, 310, 900, 390])],
    }),
    row('Salida', { class: 'android.widget.Button', text: '14 mar 2026', at: [500, 500, 1000, 600], is: 'clickable' }),
    row('Ayuda', { class: 'android.widget.Button', text: 'Leer', at: [500, 700, 1000, 800], is: 'clickable' }),
  )
  expect(listAffordances(screen).map((way) => way.label)).toEqual(['Modo · Eco', 'Salida · 14 mar 2026', 'Leer'])
})

test('buttons that leave a screen are no ways, in any shipped language; buttons of a stepper are none either', () => {
  const button = (text: string, left: number, top: number): TestNode => ({
    class: 'android.widget.Button',
    text,
    at: [left, top, left + 150, top + 100],
    is: 'clickable',
  })
  const leaving = ['Cancel', 'Abbrechen', 'Annuler', 'Cancelar', 'Annulla', 'Fechar', 'Sluiten', 'Zurück']
  const stepper: TestNode = {
    at: [0, 1500, 1080, 1600],
    in: [
      label('Guests', [0, 1500, 300, 1600]),
      button('-', 400, 1500),
      label('2', [600, 1500, 700, 1600]),
      button('+', 800, 1500),
    ],
  }
  const screen = buildScreen(
    ...leaving.map((text, at) => button(text, 0, at * 120)),
    stepper,
    button('Details', 0, 1700),
  )
  expect(listAffordances(screen).map((way) => way.label)).toEqual(['Details'])
})
