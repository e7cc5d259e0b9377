import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { AndroidDriver } from '../../../src/devices/driver/android-driver.ts'
import { DeviceShell } from '../../../src/devices/shell/device-shell.ts'
import type { Driver } from '../../../src/devices/driver/driver.ts'
import { createPhone } from '@apprentice/phone/phone.ts'
import type { Phone, PhoneOptions } from '@apprentice/phone/phone.ts'
import { SOON } from './outcomes.ts'
import type { Rig, RigKind } from './rigs.ts'

export const TEST_APP = 'org.example.desk'

/** A simulated phone with the test app, and a driver connected through the rig. */
export async function startTestAppPhone(
  kind: RigKind,
  options: PhoneOptions = {},
): Promise<{ rig: Rig; phone: Phone; driver: Driver }> {
  const appsDirs = [join(import.meta.dirname, 'apps')]
  const phone = createPhone({ serial: 'sim-1', appsDirs, ...options })
  expect(phone.documentReports).toEqual([])
  const rig = await kind.start([phone])
  const serial = rig.serial(phone)
  const shell = new DeviceShell(rig.client, serial)
  onTestFinished(() => shell.close())
  return { rig, phone, driver: new AndroidDriver(shell, { server: rig.server, serial }) }
}

/** Taps the centre of a node. */
export async function tapNode(phone: Phone, driver: Driver, id: string): Promise<void> {
  await driver.tap(findMiddle(phone, id), SOON)
}

export function findMiddle(phone: Phone, id: string): { x: number; y: number } {
  const node = phone.screenNodes().find(({ resourceId }) => resourceId.endsWith(`:id/${id}`))
  if (!node) throw new Error(`no node ${id} on the screen`)
  const { left, top, right, bottom } = node.bounds
  return { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
}
