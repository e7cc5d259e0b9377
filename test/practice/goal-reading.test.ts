import { expect, test } from 'vitest'
import type { Desired } from '../../src/knowledge/goal-search/goal/goal.ts'
import { parseGoal } from '../../src/knowledge/goal-search/goal/parse-goal.ts'

type Expected = readonly [words: string, desired: Desired]

const on: Desired = { kind: 'switch', on: true }
const off: Desired = { kind: 'switch', on: false }
const value = (text: string): Desired => ({ kind: 'value', text })
const text = (written: string, title?: string): Desired => ({
  kind: 'text',
  text: written,
  ...(title === undefined ? {} : { title }),
})

/** The sub-goals of the preferred reading. */
function read(sentence: string): Expected[] {
  const result = parseGoal(sentence)
  if (!result.clear) throw new Error(result.reason)
  return (result.goal.readings[0] ?? []).map(({ words, desired }) => [words.join(' '), desired])
}

test.each<[string, ...Expected[]]>([
  ['turn on dark theme', ['dark theme', on]],
  ['Please switch Wi-Fi off.', ['wifi', off]],
  ['Disable the hotspot', ['hotspot', off]],
  ['set Bluetooth to on', ['bluetooth', on]],
  ['Set the Kitchen to 22.5', ['kitchen', value('22.5')]],
  ['change mode to "Heat"', ['mode', value('Heat')]],
  ['open the Battery screen', ['battery', { kind: 'open' }]],
  ['Create a note saying "Milk"', ['note', text('Milk')]],
  ['add a new note called Ideas saying Buy a boat', ['note', text('Buy a boat', 'Ideas')]],
  ['turn the light on in the kitchen', ['light kitchen', on]],
  ['kitchen light on', ['kitchen light', on]],
  ['in the living room set heating to 21', ['living room heating', value('21')]],
  ['turn the volume on the TV to 30', ['volume tv', value('30')]],
  ['turn on lamp 2', ['lamp 2', on]],
  ['set lamp 2 to 80%', ['lamp 2', value('80%')]],
  ['mode: heat', ['mode', value('heat')]],
  ['heating living room 21', ['heating living room', value('21')]],
  ['choose Eco', ['eco', { kind: 'value' }]],
  ['set alarm for 7 am', ['alarm', value('7 am')]],
  ['Turn on Do not disturb', ['not disturb', on]],
  ['Küchenlicht einschalten', ['kuchenlicht', on]],
  ['Licht in der Küche an', ['licht kuche', on]],
  ['Schalte das Licht an der Wand aus', ['licht wand', off]],
  ['Aktiviere bitte den Flugmodus', ['flugmodus', on]],
  ['Nicht stören einschalten', ['nicht storen', on]],
  ['Die Heizung im Bad auf 21 Grad stellen', ['heizung bad', value('21 Grad')]],
  ['Wecker auf 7:15 stellen', ['wecker', value('7:15')]],
  ['Wecker um 7 Uhr 15 stellen', ['wecker', value('7:15')]],
  ['Stelle den Modus auf Heizen', ['modus', value('Heizen')]],
  ['Eine Notiz namens Milch kaufen erstellen', ['notiz', text('Milch kaufen')]],
  ['Zur Einkaufsliste Milch hinzufügen', ['einkaufsliste', text('Milch')]],
  ["éteins la lumière du salon s'il te plaît", ['lumiere salon', off]],
  ["Réglez l'alarme à 7h15", ['alarme', value('7h15')]],
  ['mets le chauffage du salon à 21 degrés', ['chauffage salon', value('21 degrés')]],
  ['ajoute du lait à la liste de courses', ['liste courses', text('lait')]],
  ['Enciende la luz en la cocina', ['luz cocina', on]],
  ['pon la calefacción del baño a 21 grados', ['calefaccion bano', value('21 grados')]],
  ['crea una nota que diga "Hola"', ['nota', text('Hola')]],
  ['spegni la luce in cucina', ['luce cucina', off]],
  ['imposta la sveglia alle 7:15', ['sveglia', value('7:15')]],
  ['Coloca o despertador para as 7:15', ['despertador', value('7:15')]],
  ['adiciona leite à lista de compras', ['lista compras', text('leite')]],
  ['zet de verwarming in de badkamer op 21 graden', ['verwarming badkamer', value('21 graden')]],
  ['schakel de lamp in', ['lamp', on]],
  ['add milk and bread to the shopping list', ['shopping list', text('milk')], ['shopping list', text('bread')]],
  ['Füge Milch und Brot zur Einkaufsliste hinzu', ['einkaufsliste', text('Milch')], ['einkaufsliste', text('Brot')]],
  ['set heating to 21 and fan to 3', ['heating', value('21')], ['fan', value('3')]],
  ['turn on wifi, bluetooth and the hotspot', ['wifi', on], ['bluetooth', on], ['hotspot', on]],
  ['turn on wifi, then set volume to 5', ['wifi', on], ['volume', value('5')]],
  ['set the heating in the bath and kitchen to 21', ['heating bath', value('21')], ['heating kitchen', value('21')]],
  ['Zet het licht in de keuken en de hal aan', ['licht keuken', on], ['licht hal', on]],
  ['liga a luz da cozinha e desliga a televisão', ['luz cozinha', on], ['televisao', off]],
])('%s', (sentence, ...expected) => {
  expect(read(sentence)).toEqual(expected)
})

test('a name with "and" in it is read as one name too', () => {
  const result = parseGoal('turn on Sound and vibration')
  const readings = result.clear ? result.goal.readings.map((reading) => reading.map(({ words }) => words)) : []
  expect(readings).toContainEqual([['sound', 'vibration']])
  expect(readings).toContainEqual([['sound'], ['vibration']])
})

test('"put milk on the list" is also read as adding milk', () => {
  const result = parseGoal('put milk on the shopping list')
  const readings = result.clear ? result.goal.readings : []
  expect(readings).toContainEqual([expect.objectContaining({ words: ['shopping', 'list'], desired: text('milk') })])
})

test.each([
  ['', [], /turn on or off/],
  ['turn on', ['the verb "turn on"'], /no word of the goal names it/],
  ['set the to', ['the verb "set"'], /no word of the goal names it/],
  ['open ???', ['the verb "open"'], /no word of the goal names it/],
  ['delete the note Meeting', ['the words "delete", "note", "Meeting"'], /the result that a screen can show/],
  ['Tidy up a bit', ['the words "Tidy", "bit"'], /the result that a screen can show/],
  ['make me rich', ['the verb "make"', 'the words "rich"'], /the text to add/],
  ['order 2 pizzas', ['the words "order", "2", "pizzas"'], /practice does not delete, send or buy/],
  ['Do not turn on the light', ['the verb "turn on"', 'the words "not", "light"'], /what not to do/],
  ['Schalte das Licht nicht ein', ['the verb "Schalte ein"', 'the words "Licht", "nicht"'], /what not to do/],
])('"%s" is refused with what was understood and what is missing', (sentence, understood, missing) => {
  const result = parseGoal(sentence)
  expect(result).toMatchObject({ clear: false, understood })
  expect(result.clear ? '' : result.missing.join()).toMatch(missing)
  expect(result.clear ? '' : result.reason).toMatch(missing)
})
