import type { Phone } from '@apprentice/phone/phone.ts'
import { button, open, scrollDown, tap, tapDescribed, tapId, times, type } from './learning-actions.ts'
import { listEntries, type Lesson } from './learning-lesson.ts'

const shop = 'org.apprentice.shop'
const id = (name: string) => `${shop}:id/${name}`

type Line = Record<string, unknown>
const printCart = (phone: Phone) =>
  JSON.stringify(listEntries(phone, shop, 'cart').map(({ name, quantity }) => [name, quantity]))
const hasLines =
  (...lines: (readonly [string, number])[]) =>
  (phone: Phone) =>
    printCart(phone) === JSON.stringify(lines)
const fillCart =
  (...lines: Line[]) =>
  (phone: Phone) =>
    phone.setState(shop, { saved: { cart: lines as never } })
const isOrdered = (phone: Phone) => listEntries(phone, shop, 'orders').length === 1 && printCart(phone) === '[]'

const beans: Line = { id: 2, name: 'Espresso beans 250 g', price: 6.5, quantity: 1 }
const tea: Line = { id: 11, name: 'Green tea 100 g', price: 5.6, quantity: 3 }
const mug: Line = { id: 19, name: 'Travel mug', price: 15.5, quantity: 2 }

export const shopLessons: readonly Lesson[] = [
  {
    name: 'put something into the cart',
    app: shop,
    goal: 'Put a product into the cart',
    actions: [
      open(shop),
      type(id('search'), 'espresso'),
      tap('Espresso beans 250 g'),
      ...times(2, tapId(id('quantity_plus'))),
      tap('Add to cart'),
      tapId(id('cart')),
    ],
    trials: [
      {
        name: 'another product',
        inputs: { search: 'tea', product: 'Green tea 100 g', quantity: 5 },
        isDone: hasLines(['Green tea 100 g', 5]),
      },
      {
        name: 'one of it',
        inputs: { search: 'mug', product: 'Travel mug', quantity: 1 },
        isDone: hasLines(['Travel mug', 1]),
      },
      {
        name: 'beside other things',
        inputs: { search: 'milk', product: 'Oat milk 1 l', quantity: 4 },
        prepare: fillCart(beans, tea),
        isDone: hasLines(['Espresso beans 250 g', 1], ['Green tea 100 g', 3], ['Oat milk 1 l', 4]),
      },
      {
        name: 'more than there are',
        inputs: { search: 'mug', product: 'Travel mug', quantity: 9 },
        possible: false,
        isDone: (phone) => printCart(phone) !== '[]',
      },
      {
        name: 'something not sold',
        inputs: { search: 'piano', product: 'Grand piano', quantity: 1 },
        possible: false,
        isDone: (phone) => printCart(phone) !== '[]',
      },
    ],
  },
  {
    name: 'put something into the cart without searching',
    app: shop,
    goal: 'Put a product into the cart',
    actions: [open(shop), scrollDown, tap('Milk frother'), tap('Add to cart'), tapId(id('cart'))],
    trials: [
      {
        name: 'near the top',
        inputs: { product: 'Black tea 100 g' },
        isDone: hasLines(['Black tea 100 g', 1]),
      },
      {
        name: 'at the end',
        inputs: { product: 'Travel mug' },
        isDone: hasLines(['Travel mug', 1]),
      },
    ],
  },
  {
    name: 'take something out of the cart',
    app: shop,
    goal: 'Remove a product from the cart',
    prepare: fillCart(beans, tea),
    actions: [open(shop), tapId(id('cart')), tapDescribed('Remove Espresso beans 250 g')],
    trials: [
      {
        name: 'another product',
        inputs: { cart_item: 'Travel mug' },
        prepare: fillCart(tea, mug, beans),
        isDone: hasLines(['Green tea 100 g', 3], ['Espresso beans 250 g', 1]),
      },
      {
        name: 'one that is not in it',
        inputs: { cart_item: 'Travel mug' },
        prepare: fillCart(tea),
        possible: false,
        isDone: (phone) => !hasLines(['Green tea 100 g', 3])(phone),
      },
    ],
  },
  {
    name: 'place the order',
    app: shop,
    goal: 'Place the order',
    prepare: fillCart(beans),
    actions: [open(shop), tapId(id('cart')), tapId(id('order')), button(1)],
    trials: [
      { name: 'with other things', inputs: {}, prepare: fillCart(tea, mug), isDone: isOrdered },
      { name: 'with nothing', inputs: {}, possible: false, isDone: isOrdered },
    ],
  },
]
