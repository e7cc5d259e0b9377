import { parseBinaryXml, type XmlAttribute, type XmlElement } from './binary-xml.ts'
import { VALUE } from './chunks.ts'
import { parseResourceTable, type FindString } from './resource-table.ts'
import { readZipEntry } from './zip-entry.ts'

/** What an APK says about itself. Class names are complete. */
export interface ApkFacts {
  readonly packageName: string
  readonly versionCode: number
  readonly versionName: string
  /** The package, if the app has no label. */
  readonly label: string
  readonly minSdk: number
  /** Such a package is installed only with `-t`. */
  readonly testOnly: boolean
  /** The activity that launchers start. Undefined if there is none. */
  readonly launcherActivity: string | undefined
  /** Classes that `am instrument` starts. */
  readonly instrumentations: readonly string[]
  /** Services that are input methods. */
  readonly inputMethods: readonly string[]
}

/** An APK that cannot be installed. `code` is that of Android's package manager. */
export class ApkError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Reads the binary manifest of an APK, and its label from the resources. Throws an `ApkError`. */
export function readApk(apk: Buffer): ApkFacts {
  const bytes = readZipEntry(apk, 'AndroidManifest.xml')
  if (bytes === undefined) throw new ApkError('INSTALL_PARSE_FAILED_NOT_APK', 'Failed to parse the APK')
  try {
    return readManifest(parseBinaryXml(bytes), toFindString(apk))
  } catch (error) {
    if (error instanceof RangeError) throw toMalformed('the manifest is damaged')
    throw error
  }
}

/** The numbers of attributes. Tools may remove their names. */
const ATTRIBUTE = {
  label: 0x01010001,
  name: 0x01010003,
  permission: 0x01010006,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  testOnly: 0x01010272,
} as const

function readManifest(manifest: XmlElement | undefined, findString: FindString): ApkFacts {
  if (manifest?.name !== 'manifest') throw toMalformed('the manifest has no <manifest>')
  const packageName = manifest.attributes.find(({ name }) => name === 'package')?.text ?? ''
  if (!/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(packageName)) throw toMalformed(`the package "${packageName}" is no name`)
  const application = children(manifest, 'application')[0]
  const text = (element: XmlElement | undefined, id: number) => readText(findAttribute(element, id), findString)
  const toClass = (element: XmlElement) => toClassName(packageName, text(element, ATTRIBUTE.name) ?? '')
  const activities = [...children(application, 'activity'), ...children(application, 'activity-alias')]
  const launcher = activities.find((activity) => listFiltered(activity, 'category').includes(LAUNCHER))
  return {
    packageName,
    versionCode: findAttribute(manifest, ATTRIBUTE.versionCode)?.value.data ?? 0,
    versionName: text(manifest, ATTRIBUTE.versionName) ?? '',
    label: text(application, ATTRIBUTE.label) ?? (launcher && text(launcher, ATTRIBUTE.label)) ?? packageName,
    minSdk: findAttribute(children(manifest, 'uses-sdk')[0], ATTRIBUTE.minSdkVersion)?.value.data ?? 1,
    testOnly: isTrue(findAttribute(application, ATTRIBUTE.testOnly)),
    launcherActivity: launcher && toClass(launcher),
    instrumentations: children(manifest, 'instrumentation').map(toClass),
    inputMethods: children(application, 'service')
      .filter((service) => text(service, ATTRIBUTE.permission) === BIND_INPUT_METHOD)
      .map(toClass),
  }
}

const LAUNCHER = 'android.intent.category.LAUNCHER'
const BIND_INPUT_METHOD = 'android.permission.BIND_INPUT_METHOD'

function children(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

/** The names of actions or categories of an element's intent filters. */
function listFiltered(element: XmlElement, what: 'action' | 'category'): readonly string[] {
  return children(element, 'intent-filter').flatMap((filter) =>
    children(filter, what).map((entry) => findAttribute(entry, ATTRIBUTE.name)?.text ?? ''),
  )
}

function findAttribute(element: XmlElement | undefined, id: number): XmlAttribute | undefined {
  return element?.attributes.find((attribute) => attribute.id === id)
}

function readText(attribute: XmlAttribute | undefined, findString: FindString): string | undefined {
  if (attribute?.value.type === VALUE.string) return attribute.text
  return attribute?.value.type === VALUE.reference ? findString(attribute.value.data) : undefined
}

function isTrue(attribute: XmlAttribute | undefined): boolean {
  return attribute?.value.type === VALUE.boolean && attribute.value.data !== 0
}

function toClassName(packageName: string, name: string): string {
  if (name.startsWith('.')) return `${packageName}${name}`
  return name.includes('.') ? name : `${packageName}.${name}`
}

function toFindString(apk: Buffer): FindString {
  const resources = readZipEntry(apk, 'resources.arsc')
  return resources === undefined ? () => undefined : parseResourceTable(resources)
}

function toMalformed(message: string): ApkError {
  return new ApkError('INSTALL_PARSE_FAILED_MANIFEST_MALFORMED', message)
}
