import { ApkError, readApk, type ApkFacts } from '../apk/apk.ts'
import { installPackage, removePackage } from '../model/installed-packages.ts'
import { print, printError, type Call } from '../shell/command.ts'

/** Options of `pm install` that are followed by a value. */
const VALUE_OPTIONS = new Set(['-S', '-i', '--user', '--abi', '--install-reason', '--pkg'])

/** `pm install`: of a file on the phone, or with `-S` of that many bytes on stdin, as `adb install` streams them. */
export async function install(call: Call, args: readonly string[]): Promise<number> {
  const { options, values, operands } = readOptions(args)
  const size = values.get('-S')
  const [path] = operands
  const apk = size === undefined ? call.files.read(path ?? '') : await readBytes(call, Number(size))
  if (call.signal.aborted) return HANGUP_CODE
  if (apk === undefined) {
    printError(call, `Error: Unable to open file: ${path ?? ''}\n`)
    return 1
  }
  try {
    const facts = readApk(apk)
    checkInstall(call, facts, options)
    installPackage(call.device, facts)
  } catch (error) {
    if (!(error instanceof ApkError)) throw error
    print(call, `Failure [${error.code}: ${error.message}]\n`)
    return 1
  }
  print(call, 'Success\n')
  return 0
}

const HANGUP_CODE = 129

function checkInstall({ device }: Call, facts: ApkFacts, options: ReadonlySet<string>): void {
  const { packageName, versionCode, minSdk } = facts
  const old = device.apps.get(packageName)
  const sdk = Number(device.props.get('ro.build.version.sdk'))
  if (device.faults.consume('installRefused')) {
    throw new ApkError('INSTALL_FAILED_USER_RESTRICTED', 'Install canceled by user')
  }
  if (minSdk > sdk) {
    throw new ApkError('INSTALL_FAILED_OLDER_SDK', `Requires newer sdk version #${minSdk} (current version is #${sdk})`)
  }
  if (facts.testOnly && !options.has('-t')) {
    throw new ApkError('INSTALL_FAILED_TEST_ONLY', 'Failed to install test-only apk. Did you forget to add -t?')
  }
  if (old === undefined) return
  if (!options.has('-r')) {
    const text = `Attempt to re-install ${packageName} without first uninstalling.`
    throw new ApkError('INSTALL_FAILED_ALREADY_EXISTS', text)
  }
  const oldCode = old.document.version.code
  if (versionCode < oldCode && !options.has('-d')) {
    const text = `Downgrade detected: Update version code ${versionCode} is older than current ${oldCode}`
    throw new ApkError('INSTALL_FAILED_VERSION_DOWNGRADE', text)
  }
}

/** `pm uninstall`: removes an app that was installed from an APK. */
export function uninstall(call: Call, args: readonly string[]): number {
  const [name = ''] = readOptions(args).operands
  const isRemoved = removePackage(call.device, name)
  print(call, isRemoved ? 'Success\n' : 'Failure [DELETE_FAILED_INTERNAL_ERROR]\n')
  return isRemoved ? 0 : 1
}

interface ReadOptions {
  readonly options: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
  readonly operands: readonly string[]
}

function readOptions(args: readonly string[]): ReadOptions {
  const options = new Set<string>()
  const values = new Map<string, string>()
  const operands: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (VALUE_OPTIONS.has(arg)) values.set(arg, args[(at += 1)] ?? '')
    else if (arg.startsWith('-') && arg !== '-') options.add(arg)
    else operands.push(arg)
  }
  return { options, values, operands }
}

const MAX_APK_BYTES = 256 * 1024 * 1024

/** Exactly `size` bytes of stdin, whose sender waits for the answer before it ends the stream. */
async function readBytes({ stdin }: Call, size: number): Promise<Buffer> {
  if (!(size <= MAX_APK_BYTES)) throw new Error(`cannot install an APK of ${size} bytes`)
  const chunks: Buffer[] = []
  for (let missing = size; missing > 0;) {
    const chunk = await stdin.chunk()
    if (chunk === undefined) break
    chunks.push(chunk)
    missing -= chunk.length
  }
  return Buffer.concat(chunks)
}
