import { once } from 'node:events'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createPhone, LATENCY_PROFILES, type LatencyName, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { reportUsageFailures, UsageError } from './terminal/usage-error.ts'

interface PhoneCommandOptions {
  readonly adbd: number
  readonly apps?: readonly string[]
  readonly shippedApps: boolean
  readonly serial?: string
  readonly model?: string
  readonly locale?: string
  readonly latency: LatencyName
  readonly adbKeyboard?: boolean
}

/** `apprentice phone`: a simulated phone for any adb server. It needs no daemon. */
export function addPhoneCommand(program: Command): void {
  program
    .command('phone')
    .description('run a simulated phone that any adb server on this machine can use, until Ctrl-C')
    .requiredOption(
      '--adbd <port>',
      'TCP port on 127.0.0.1 to which an adb server connects; 0 takes a free one',
      readPort,
    )
    .option('--apps <folders...>', 'folders with additional apps (JSON documents)')
    .option('--no-shipped-apps', 'do not install the shipped apps')
    .option('--serial <serial>', 'the serial number of the phone')
    .option('--model <name>', 'the model name of the phone')
    .option('--locale <locale>', 'the locale of the phone, e.g. de-DE')
    .addOption(
      new Option('--latency <profile>', 'how long commands take')
        .choices(Object.keys(LATENCY_PROFILES))
        .default('fast' satisfies LatencyName),
    )
    .option('--adb-keyboard', 'install the input method that receives text by broadcast')
    .addHelpText(
      'after',
      '\nEvery adb server looks for emulators on the odd ports 5555 to 5585. On one of these the phone also appears as\n' +
        'emulator-<port - 1> without a connection.',
    )
    .action((options: PhoneCommandOptions) => reportUsageFailures(() => servePhone(options)))
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('Expected a port number from 0 to 65535.')
  return port
}

async function servePhone({ adbd, apps, ...options }: PhoneCommandOptions): Promise<void> {
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const phone = createPhone({ ...options, appsDirs: apps ?? [] })
  refuseFaultyApps(phone)
  const device = await startAdbdDevice({ host: phone, port: adbd }).catch((error: unknown) => {
    throw new Error(`The simulated phone cannot listen on 127.0.0.1 port ${adbd}: ${describe(error)}.`, {
      cause: error,
    })
  })
  process.stdout.write(
    `The simulated phone ${phone.serial} is ready. Connect to it with: adb connect 127.0.0.1:${device.port}\n`,
  )
  await stopped
  await device.close()
}

/** A phone without an app that was asked for would only fail later. */
function refuseFaultyApps({ documentReports }: Phone): void {
  if (documentReports.length === 0) return
  const lines = documentReports.map(({ file, path, reason }) => `  ${file}${path === '' ? '' : `, ${path}`}: ${reason}`)
  throw new UsageError(`Apps that cannot be read:\n${lines.join('\n')}`)
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'EADDRINUSE' ? 'another program uses it' : message
}
