import { z } from 'zod'
import { listDevices, screenshotDevice, Serial } from '@apprentice/contracts/devices/device.ts'
import { ACTS_ON_PHONE, defineTool, READ_ONLY, type Tool } from '../tool/tool.ts'
import { chooseSerial, PhoneAction, performActions, readSettledScreen } from './phone-actions.ts'
import { formatChange, formatPage } from '../tool/screen-lines.ts'

const MAX_DEVICES = 50

const ScreenResult = z.object({
  serial: z.string(),
  package: z.string().nullable(),
  activity: z.string().nullable(),
  elements: z.int().describe('The number of elements, including those left out'),
})

const listPhones = defineTool({
  name: 'list_devices',
  title: 'List phones',
  description: 'Lists the known phones, connected ones first.',
  input: z.object({ from: z.int().min(0).default(0).describe('Skip this many phones') }),
  output: z.object({
    devices: z.array(
      z.object({
        serial: z.string(),
        state: z.string(),
        label: z.string().optional(),
        leased_by: z.string().optional(),
      }),
    ),
    next_from: z.int().optional().describe('There are more phones from here'),
  }),
  annotations: READ_ONLY,
  run: async ({ from }, { call }) => {
    const { devices } = await call(listDevices)
    const end = from + MAX_DEVICES
    return {
      structured: {
        devices: devices.slice(from, end).map(({ serial, state, label, lease }) => ({
          serial,
          state,
          ...(label === undefined ? {} : { label }),
          ...(lease === undefined ? {} : { leased_by: lease.owner_user_id }),
        })),
        ...(end < devices.length ? { next_from: end } : {}),
      },
    }
  },
})

const seeScreen = defineTool({
  name: 'see_screen',
  title: 'See the screen',
  description: 'Lists the elements on the screen of a phone, one per line with a reference for do_actions.',
  input: z.object({
    serial: Serial.optional().describe('Required if several phones are connected'),
    picture: z.boolean().default(false).describe('Also return a picture'),
    from: z.int().min(0).default(0).describe('Skip this many elements'),
  }),
  output: ScreenResult,
  annotations: { ...READ_ONLY, openWorldHint: true },
  run: async ({ serial: wanted, picture, from }, context) => {
    const serial = await chooseSerial(context, wanted)
    const snapshot = await readSettledScreen(context, serial)
    const lines = context.refs.remember(serial, snapshot)
    return {
      structured: { serial, package: snapshot.package, activity: snapshot.activity, elements: lines.length },
      text: `${snapshot.package ?? 'no app'}\n${formatPage(lines, from)}`,
      ...(picture ? { png: await takePicture() } : {}),
    }
    async function takePicture(): Promise<Buffer> {
      const { screenshot } = await context.call(screenshotDevice, { params: { serial }, body: {} })
      return await context.readEvidence(screenshot.evidence_id)
    }
  },
})

const doActions = defineTool({
  name: 'do_actions',
  title: 'Act on a phone',
  description:
    'Performs actions on a phone in order and returns what changed on the screen. It stops at the first that fails. Prefer run_ability if an ability does the work.',
  input: z.object({
    serial: Serial.optional().describe('Required if several phones are connected'),
    goal: z.string().max(400).optional().describe('What the actions are for; the same goal can be learned from later'),
    actions: z.array(PhoneAction).min(1).max(20),
  }),
  output: ScreenResult.extend({ done: z.int().describe('The number of actions that succeeded') }),
  annotations: ACTS_ON_PHONE,
  run: async ({ serial: wanted, actions, goal }, context) => {
    const serial = await chooseSerial(context, wanted)
    const before = context.refs.lastLines(serial)
    const done = await performActions(context, { serial, actions, goal })
    const snapshot = await readSettledScreen(context, serial)
    const lines = context.refs.remember(serial, snapshot)
    const change = formatChange(before, lines)
    return {
      structured: { serial, package: snapshot.package, activity: snapshot.activity, elements: lines.length, done },
      text: change ?? `${snapshot.package ?? 'no app'}\n${formatPage(lines)}`,
    }
  },
})

export const deviceTools: readonly Tool[] = [listPhones, seeScreen, doActions]
