import { ApkError, readApk } from '@apprentice/phone/apk/apk.ts'
import { describe, expect, it } from 'vitest'
import { buildApk } from '../kit/build-apk.ts'

describe('reading an APK', () => {
  it('finds names, versions and components in the binary manifest', async () => {
    const apk = await buildApk({
      packageName: 'com.example.tool',
      versionCode: 21005,
      versionName: '0.21.5',
      label: 'Größe & Co',
      minSdk: 26,
      testOnly: true,
      launcherActivity: '.Start',
      instrumentation: 'com.example.other.Runner',
      inputMethod: 'Keyboard',
    })
    expect(readApk(apk)).toEqual({
      packageName: 'com.example.tool',
      versionCode: 21005,
      versionName: '0.21.5',
      label: 'Größe & Co',
      minSdk: 26,
      testOnly: true,
      launcherActivity: 'com.example.tool.Start',
      instrumentations: ['com.example.other.Runner'],
      inputMethods: ['com.example.tool.Keyboard'],
    })
  })

  it('takes a label from the resources, in the default language', async () => {
    const apk = await buildApk({ packageName: 'com.example.tool', label: 'Wörter', labelInResources: true })
    expect(readApk(apk).label).toBe('Wörter')
  })

  it('names what has no launcher by its label only', async () => {
    const facts = readApk(await buildApk({ packageName: 'com.example.service' }))
    expect(facts).toMatchObject({ launcherActivity: undefined, label: 'com.example.service', testOnly: false })
  })

  it('refuses what is no APK with the code of the package manager', () => {
    const read = () => readApk(Buffer.from('this is not a zip file at all, only text'))
    expect(read).toThrow(ApkError)
    expect(read).toThrow(expect.objectContaining({ code: 'INSTALL_PARSE_FAILED_NOT_APK' }))
  })

  it('refuses every APK that is cut off or changed, and throws nothing else', async () => {
    const apk = await buildApk({ packageName: 'com.example.tool', labelInResources: true })
    for (let at = 0; at < apk.length; at += 7) {
      expect(() => readApk(apk.subarray(0, at))).toThrow(ApkError)
      const changed = Buffer.from(apk)
      changed[at] = (changed[at] ?? 0) ^ 0xff
      try {
        readApk(changed)
      } catch (error) {
        expect(error).toBeInstanceOf(ApkError)
      }
    }
  })
})
