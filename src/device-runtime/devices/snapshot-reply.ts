import type { z } from 'zod'
import { snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import { SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import { finishInTurns, mapInParts } from '../../screen/tree/slices.ts'

const NO_ELEMENTS = '"elements":[]'

/** Validates and prints a reply as its contract says. A large screen does not keep the event loop from its turns. */
export async function printSnapshotReply(reply: z.input<typeof snapshotDevice.reply>): Promise<string> {
  const { snapshot } = reply
  const printElement = (element: SnapshotElement): string => JSON.stringify(SnapshotElement.parse(element))
  const elements = await finishInTurns(mapInParts(snapshot.elements, printElement))
  // Quotes within texts are escaped, so only the field itself reads like this.
  const [head = '', tail = ''] = JSON.stringify(
    snapshotDevice.reply.parse({ ...reply, snapshot: { ...snapshot, elements: [] } }),
  ).split(NO_ELEMENTS)
  return `${head}"elements":[${elements.join(',')}]${tail}`
}
