import { FAULT_NAMES, type Phone } from '@apprentice/phone/phone.ts'
import type { AdbServer } from '@apprentice/phone/wire/adb-server.ts'
import type { WireFaults } from '@apprentice/phone/wire/faults.ts'

export interface DeviceFault {
  readonly name: string
  /** Begins the fault. */
  begin(server: AdbServer, phone: Phone): void | Promise<void>
  end(server: AdbServer, phone: Phone): void | Promise<void>
}

const WIRE_FAULTS: readonly (readonly [string, Partial<WireFaults>])[] = [
  ['the phone is offline', { muteConnect: true }],
  ['the phone is unauthorized', { unauthorized: true }],
  ['connections send nothing', { freeze: true }],
  ['service requests get no answer', { hangOpen: true }],
  ['commands do not run', { hangCommand: true }],
  ['service requests are refused', { refuseOpen: true }],
  ['commands start late', { commandDelayMs: 400 }],
  ['output comes in small pieces', { trickle: { bytes: 7, intervalMs: 5 } }],
  ['output is cut off', { truncateAfter: 500 }],
  ['output ends at once', { truncateAfter: 0 }],
  ['the connection drops during output', { dropAfter: 300 }],
  ['a packet is invalid', { corruptAfter: 200 }],
  ['commands end without their exit code', { omitExit: true }],
  ['the phone has no shell_v2', { noShellV2: true }],
]

const wireFaults = WIRE_FAULTS.map(([name, faults]): DeviceFault => ({
  name,
  begin: (server, phone) => server.faultsFor(phone.serial).set(faults),
  end: (server, phone) => server.faultsFor(phone.serial).clear(),
}))

const phoneFaults = FAULT_NAMES.map((name): DeviceFault => ({
  name,
  begin: (_server, phone) => phone.faults.set(name),
  end: (_server, phone) => phone.faults.clear(),
}))

const hangingCommands = ['uiautomator', 'input', 'screencap', 'am start'].map((program): DeviceFault => ({
  name: `${program} hangs`,
  begin: (_server, phone) => phone.faults.hangCommand(new RegExp(program)),
  end: (_server, phone) => phone.faults.clear(),
}))

const connectionFaults: readonly DeviceFault[] = [
  { name: 'all connections are cut', begin: (server) => server.cut(), end: () => {} },
  { name: 'all connections are reset', begin: (server) => server.cut({ reset: true }), end: () => {} },
  { name: 'the streams of the phone are cut', begin: (server, { serial }) => server.cut({ serial }), end: () => {} },
  { name: 'the adb server is down', begin: (server) => server.stop(), end: (server) => server.start() },
  {
    name: 'the phone is unplugged',
    begin: (server, { serial }) => server.removeHost(serial),
    end: (server, phone) => server.addHost(phone),
  },
  {
    name: 'the phone goes offline',
    begin: (server, { serial }) => server.setDeviceState(serial, 'offline'),
    end: (server, { serial }) => server.setDeviceState(serial, 'device'),
  },
]

export const DEVICE_FAULTS: readonly DeviceFault[] = [
  ...wireFaults,
  ...connectionFaults,
  ...phoneFaults,
  ...hangingCommands,
]
