import type { Phone } from '@apprentice/phone/phone.ts'
import { button, open, tap, tapId, type } from './learning-actions.ts'
import { listEntries, type Lesson } from './learning-lesson.ts'

const portal = 'org.apprentice.portal'
const id = (name: string) => `${portal}:id/${name}`
const isSignedIn = (user: string) => (phone: Phone) => phone.state(portal).memory['user'] === user
const staysSignedIn = (user: string) => (phone: Phone) => phone.state(portal).saved['user'] === user
const signIn = (user: string) => (phone: Phone) => phone.setState(portal, { saved: { user } })

const read =
  (...titles: string[]) =>
  (phone: Phone) =>
    listEntries(phone, portal, 'messages').every(
      ({ title, read: isRead }) => isRead === (title === 'Welcome' || titles.includes(String(title))),
    )

export const portalLessons: readonly Lesson[] = [
  {
    name: 'sign in',
    app: portal,
    goal: 'Sign in to the portal',
    actions: [open(portal), type(id('user'), 'ada'), type(id('password'), 'engine'), tapId(id('sign_in'))],
    trials: [
      {
        name: 'somebody else',
        inputs: { user: 'grace', password: 'cobol 60!' },
        isDone: isSignedIn('grace'),
      },
      {
        name: 'a slow phone',
        inputs: { user: 'ada', password: 'engine' },
        options: { latency: 'realistic' },
        isDone: isSignedIn('ada'),
      },
      {
        name: 'a wrong password',
        inputs: { user: 'ada', password: 'motor' },
        possible: false,
        isDone: isSignedIn('ada'),
      },
      {
        name: 'an unknown name',
        inputs: { user: 'alan', password: 'enigma' },
        possible: false,
        isDone: isSignedIn('alan'),
      },
      {
        name: 'somebody else is in already',
        inputs: { user: 'grace', password: 'cobol 60!' },
        prepare: signIn('ada'),
        possible: false,
        isDone: isSignedIn('grace'),
      },
    ],
  },
  {
    name: 'sign in, at the second attempt',
    app: portal,
    goal: 'Sign in to the portal',
    actions: [
      open(portal),
      type(id('user'), 'ada'),
      type(id('password'), 'engines'),
      tapId(id('sign_in')),
      type(id('password'), 'engine'),
      tapId(id('sign_in')),
    ],
    trials: [
      {
        name: 'somebody else',
        inputs: { user: 'grace', password: 'cobol 60!' },
        isDone: isSignedIn('grace'),
      },
    ],
  },
  {
    name: 'sign in and stay',
    app: portal,
    goal: 'Sign in and stay signed in',
    actions: [
      open(portal),
      type(id('user'), 'ada'),
      type(id('password'), 'engine'),
      tapId(id('stay')),
      tapId(id('sign_in')),
    ],
    trials: [
      {
        name: 'somebody else',
        inputs: { user: 'grace', password: 'cobol 60!' },
        isDone: staysSignedIn('grace'),
      },
      {
        name: 'without staying',
        inputs: { user: 'grace', password: 'cobol 60!', stay_signed_in: false },
        isDone: (phone) => isSignedIn('grace')(phone) && staysSignedIn('')(phone),
      },
    ],
  },
  {
    name: 'open a message',
    app: portal,
    goal: 'Open a message',
    prepare: signIn('ada'),
    actions: [open(portal), tap('Your invoice')],
    trials: [
      {
        name: 'another message',
        inputs: { message: 'Maintenance on Friday' },
        prepare: signIn('ada'),
        isDone: read('Maintenance on Friday'),
      },
      {
        name: 'in the account of somebody else',
        inputs: { message: 'Maintenance on Friday' },
        prepare: signIn('grace'),
        possible: false,
        isDone: (phone) => !read()(phone),
      },
      {
        name: 'one that does not exist',
        inputs: { message: 'Lottery' },
        prepare: signIn('ada'),
        possible: false,
        isDone: (phone) => !read()(phone),
      },
    ],
  },
  {
    name: 'sign out',
    app: portal,
    goal: 'Sign out',
    prepare: signIn('ada'),
    actions: [open(portal), tapId(id('sign_out')), button(1)],
    trials: [
      { name: 'again', inputs: {}, prepare: signIn('ada'), isDone: staysSignedIn('') },
      {
        name: 'somebody else',
        inputs: {},
        prepare: signIn('grace'),
        possible: false,
        isDone: staysSignedIn(''),
      },
    ],
  },
]
