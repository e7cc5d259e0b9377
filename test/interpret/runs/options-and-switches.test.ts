import { expect, test } from 'vitest'
import { listFaults, measureSmallApp } from './small-app.ts'

const KINDS = ['Soups', 'Mains', 'Salads', 'Desserts'].map((name) => ({ value: name, text: name }))

const recipes = {
  toolkit: 'compose',
  saved: { recipes: [{ title: 'Rye bread', kind: 'Baking' }] },
  screens: {
    home: {
      title: 'Recipes',
      content: [
        {
          type: 'list',
          items: 'saved.recipes',
          template: [
            {
              type: 'column',
              padding: 30,
              children: [
                { type: 'text', text: '{item.title}' },
                { type: 'text', text: '{item.kind}' },
              ],
            },
          ],
        },
        { type: 'button', text: 'New recipe', on_tap: [{ do: 'open', screen: 'edit' }] },
      ],
    },
    edit: {
      title: 'New recipe',
      local: { title: '', kind: '' },
      content: [
        { type: 'field', bind: 'local.title', hint: 'Title', hint_as: 'label' },
        { type: 'text', text: 'Category' },
        { type: 'choice', look: 'chips', bind: 'local.kind', options: KINDS },
        {
          type: 'button',
          text: 'Save',
          on_tap: [
            { do: 'append', target: 'saved.recipes', value: { title: '{local.title}', kind: '{local.kind}' } },
            { do: 'back' },
          ],
        },
      ],
    },
  },
}

test('a chip that holds its radio button is one of several options, also if none was chosen before', async () => {
  const end = (title: string, kind: string) =>
    `count(saved.recipes, it.title == '${title}' && it.kind == '${kind}') == 1`
  const result = await measureSmallApp({
    document: recipes,
    lesson: {
      goal: 'Add a recipe with its category',
      demonstration: [
        { tap: 'New recipe' },
        { type: 'Potato gratin', into: 'Title' },
        { tap: 'Mains' },
        { tap: 'Save' },
      ],
      end: end('Potato gratin', 'Mains'),
      inputs: [
        { key: 'title', accepted_names: ['title'], demonstrated: 'Potato gratin', kind: 'text' },
        { key: 'category', accepted_names: ['category'], demonstrated: 'Mains', kind: 'choice' },
      ],
      variations: [
        {
          name: 'another category',
          kind: 'other_value',
          inputs: { title: 'Tarte', category: 'Desserts' },
          expect: 'success',
          end: end('Tarte', 'Desserts'),
        },
      ],
    },
  })
  expect(listFaults(result)).toEqual([])
  expect(result.inputs).toEqual({ expected: 2, found: 2, wellNamed: 2 })
})

const SWITCHES = [
  ['away', "{saved.release == 2 ? 'Vacation mode' : 'Away mode'}", 'Keeps every room at 15 degrees'],
  ['lock', 'Child lock', 'Locks the buttons of the thermostats'],
  ['eco', 'Boost', 'Heats every room for ten minutes'],
] as const

const settings = {
  toolkit: 'flutter',
  saved: { away: false, lock: true, eco: false, release: 1 },
  screens: {
    home: {
      title: 'Home',
      content: SWITCHES.map(([name, text, about]) => ({
        type: 'row',
        padding: 40,
        checked: `saved.${name}`,
        on_tap: [{ do: 'toggle', target: `saved.${name}` }],
        children: [
          { type: 'column', children: [text, about].map((one) => ({ type: 'text', text: one })), weight: 1 },
          { type: 'image', width: 96, height: 96, icon: 'o' },
        ],
      })),
    },
  },
}

test('a switch that the goal names is no entry, and its state is read where it was found under another label', async () => {
  const result = await measureSmallApp({
    document: settings,
    lesson: {
      goal: 'Turn on away mode',
      demonstration: [{ tap: 'Away mode' }],
      end: 'saved.away == true',
      variations: [
        { name: 'same', kind: 'same', expect: 'success', end: 'saved.away == true' },
        {
          name: 'renamed',
          kind: 'renamed_label',
          prepare: { release: 2 },
          expect: 'success',
          end: 'saved.away == true',
        },
      ],
    },
  })
  expect(listFaults(result)).toEqual([])
})

const PLACES = ['Bergen', 'Lisbon', 'Porto', 'Vienna'].map((name) => ({ name, sky: 'Cloudy' }))
const TOWNS = ['Aston', 'Barrow', 'Corby', 'Dover', 'Ely', 'Fulham', 'Goole', 'Hythe']
const CITIES = Array.from({ length: 24 }, (_, at) => ({ name: `${TOWNS[at % 8]} ${at}`, sky: 'Clear' }))

const CITY = {
  type: 'column',
  padding: 40,
  children: ['{item.name}', '{item.sky}'].map((text) => ({ type: 'text', text })),
}

const cities = {
  toolkit: 'compose',
  saved: { cities: CITIES, ignore: false },
  memory: { places: PLACES },
  screens: {
    home: {
      title: 'Cities',
      content: [
        {
          type: 'list',
          items: 'saved.cities',
          height: 'fill',
          template: [{ ...CITY, on_tap: [{ do: 'open', screen: 'city' }] }],
        },
        { type: 'button', text: 'Add city', on_tap: [{ do: 'open', screen: 'search' }] },
      ],
    },
    city: { title: 'City', content: [{ type: 'text', text: 'Sunrise at six' }] },
    search: {
      title: 'Search',
      local: { query: '' },
      content: [
        { type: 'field', bind: 'local.query', hint: 'Name of the city' },
        {
          type: 'list',
          items: 'filter(memory.places, contains(it.name, local.query))',
          template: [
            {
              ...CITY,
              on_tap: [
                {
                  do: 'if',
                  when: '!saved.ignore',
                  actions: [
                    { do: 'append', target: 'saved.cities', value: { name: '{item.name}', sky: '{item.sky}' } },
                  ],
                },
                { do: 'back' },
                { do: 'snackbar', text: '{item.name} was added to your cities' },
              ],
            },
          ],
        },
      ],
    },
  },
}

test('what a list of suggestions showed before is added to a list of the same rows', async () => {
  const end = (name: string, count: number) => `count(saved.cities, it.name == '${name}') == ${count}`
  const result = await measureSmallApp({
    document: cities,
    lesson: {
      goal: 'Add a city',
      demonstration: [
        { tap: 'Add city' },
        { type: 'Bergen', into: 'Name of the city' },
        { tap: { text: 'Bergen', nth: 1 } },
      ],
      end: end('Bergen', 1),
      inputs: [{ key: 'city', accepted_names: ['city'], demonstrated: 'Bergen', kind: 'text' }],
      variations: [
        { name: 'another', kind: 'other_value', inputs: { city: 'Porto' }, expect: 'success', end: end('Porto', 1) },
        { name: 'ignored', kind: 'ignored', prepare: { ignore: true }, expect: 'no_success', end: end('Bergen', 0) },
      ],
    },
  })
  expect(listFaults(result)).toEqual([])
})
