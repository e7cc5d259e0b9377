import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Meaning, findPhrase, hasMeaning, isOnlyMeaning } from '../../../src/screen/words/words.ts'
import { LANGUAGES } from '../../../src/screen/words/language.ts'
import { AGREE_PHRASES } from '../../../src/screen/words/agree.ts'
import { DISMISS_PHRASES } from '../../../src/screen/words/dismiss.ts'
import { FAILURE_PHRASES } from '../../../src/screen/words/failure.ts'
import { LOADING_PHRASES } from '../../../src/screen/words/loading.ts'
import { OFFLINE_PHRASES } from '../../../src/screen/words/offline.ts'
import { PROGRESS_PHRASES } from '../../../src/screen/words/progress.ts'
import { WAITING_PHRASES } from '../../../src/screen/words/waiting.ts'

const TABLES = {
  dismiss: DISMISS_PHRASES,
  agree: AGREE_PHRASES,
  failure: FAILURE_PHRASES,
  waiting: WAITING_PHRASES,
  progress: PROGRESS_PHRASES,
  offline: OFFLINE_PHRASES,
  loading: LOADING_PHRASES,
}

const SAYS: Readonly<Record<Meaning, readonly string[]>> = {
  dismiss: [
    'Not now',
    'NOT NOW',
    'No, thanks',
    'Maybe later',
    'Skip for now',
    'Close',
    'Don’t allow',
    'Später',
    'Jetzt nicht',
    'Nein, danke',
    'Plus tard',
    'Non merci',
    'Más tarde',
    'Non ora',
    'Agora não',
    'Niet nu',
    'Później',
    'Inte nu',
    'Şimdi değil',
    'DAHA SONRA',
    'Не сейчас',
    '後で',
    '暂不',
    '나중에',
    'ليس الآن',
    'ISKIP? Skip!',
  ],
  agree: [
    'OK',
    'Yes',
    'Accept all',
    'Allow',
    'While using the app',
    'Delete',
    'Buy now',
    'Continue',
    'Rate us',
    'Update',
    'Subscribe',
    'Akzeptieren',
    'Löschen',
    'Accepter',
    'Permitir',
    'Consenti',
    'Excluir',
    'Toestaan',
    'Usuń',
    'Tillåt',
    'İzin ver',
    'Разрешить',
    '許可',
    '允许',
    '허용',
    'السماح',
  ],
  failure: [
    'Failed',
    'Message not sent. Tap to retry.',
    'Couldn’t save',
    'Payment declined',
    'Error 504',
    'Something went wrong',
    'Unable to connect',
    'Try again',
    'Invalid code',
    'Not delivered',
    'Fehlgeschlagen',
    'Konnte nicht gesendet werden',
    'Échec de l’envoi',
    'Une erreur est survenue',
    'No se pudo enviar',
    'Invio non riuscito',
    'Não foi possível salvar',
    'Verzenden mislukt',
    'Nie udało się zapisać',
    'Kunde inte skickas',
    'Mesaj gönderilemedi',
    'Не удалось отправить',
    '送信に失敗しました',
    '发送失败',
    '전송에 실패했습니다',
    'فشل الإرسال',
    'حدث الخطأ',
  ],
  waiting: [
    'Pending',
    'Queued',
    'Sending…',
    'Waiting for network',
    'Will be sent when you are back online',
    'You’re offline',
    'No connection',
    'Not synced',
    'Ausstehend',
    'Wird gesendet …',
    'Keine Verbindung',
    'En attente',
    'Hors ligne',
    'Pendiente',
    'Sin conexión',
    'In attesa',
    'Pendente',
    'In de wachtrij',
    'W kolejce',
    'Väntar på nätverk',
    'Beklemede',
    'Çevrimdışı',
    'В очереди',
    '送信待ち',
    '等待中',
    '대기 중',
    'قيد الانتظار',
  ],
  progress: `Sending…|Saving|Uploading 3 files|Syncing|Processing payment|Updating…|Wird gesendet …|Wird gespeichert|
    Wird verarbeitet|Envoi en cours|En cours de traitement|Enviando…|Guardando|Invio in corso|Salvataggio in corso|
    Enviando|Wordt verzonden|Bezig met opslaan|Wysyłanie|Skickas|Gönderiliyor|Отправка|送信中|正在发送|전송 중|
    جارٍ الإرسال`.split('|'),
  offline:
    `Offline|You’re offline|No connection. Nothing was changed.|Bridge offline|No internet connection|Disconnected|
    Keine Verbindung|Kein Internet|Hors ligne|Aucune connexion|Sin conexión|Sin internet|Nessuna connessione|Sem ligação|
    Sem internet|Geen verbinding|Brak połączenia|Ingen anslutning|Çevrimdışı|Bağlantı yok|Нет сети|Нет соединения|
    オフライン|无网络|離線|오프라인|غير متصل`.split('|'),
  loading: [
    'Loading',
    'Loading…',
    'Please wait',
    'LOADING DATA',
    'One moment',
    'Wird geladen',
    'Bitte warten',
    'Chargement en cours',
    'Veuillez patienter',
    'Cargando…',
    'Espere, por favor',
    'Caricamento',
    'Attendere',
    'Carregando',
    'Aguarde',
    'Bezig met laden',
    'Proszę czekać',
    'Laddar',
    'Yükleniyor',
    'Загрузка',
    'Подождите',
    '読み込み中',
    '加载中',
    '불러오는 중',
    'جارٍ التحميل',
  ],
}

const SAYS_NOT: Readonly<Record<Meaning, readonly string[]>> = {
  dismiss:
    `Closet|Closely|Skipper|Notnow|Collate|Cancellation policy|Hidden|Denial|Orders|Kaffee|Spät|Après|Tarde|Ora|Não|
    Nu|Potem|Sent|Şimdi|Сейчас|明日|今天|오늘|الآن|Translater|Nowhere`.split('|'),
  agree:
    `Okra|Yesterday|Acceptance|Allowance|Deleted items|Buyer|Discontinued|Rates|Updates|Subscriptions|Opening hours|
    Jahr|Löschung|Ouimet|Sinus|您好|Tallow|Payday|Sender|Notes|Kaufmann|Haus|Maison|Casa|Дом|東京|北京|서울`.split('|'),
  failure: `Error-free|No errors|0 failed|Without errors|Terror|Erroring|Retryable|Failsafe|Faille|Successful|Sent|
    Delivered|All good|Keine Fehler|Ohne Fehler|Fehlerfrei|Aucune erreur|Sin errores|Nessun errore|Sem erros|Geen fouten|
    Bez błędu|Inga fel|Без ошибки|成功|完了|성공|تم|Invalides|Declination`.split('|'),
  waiting: `Spending|Pendings|Queue-free|Sender|Waiters|Sent|Offliner|Connected|Synced|Confirmed|Impending|Depending|
    Gesendet|Verbunden|Envoyé|Enviado|Inviato|Conectado|Verzonden|Wysłano|Skickat|Gönderildi|Отправлено|送信済み|已发送|
    전송됨|تم`.split('|'),
  progress: `Sent|Saved|Resending|Sender|Savings|Uploads|Synced|Process|Workings|Updated|Gesendet|Gespeichert|Envoyé|
    Enregistré|Enviado|Guardado|Inviato|Salvato|Salvo|Verzonden|Wysłano|Skickat|Gönderildi|Отправлено|送信済み|已发送|
    전송됨|تم`.split('|'),
  offline: `Online|Offliner|Connected|Connection|Internet|Network settings|Connections|Offlining|Verbunden|Verbindung|
    Connecté|Connexion|Conectado|Conexión|Connesso|Connessione|Ligado|Verbonden|Połączono|Ansluten|Bağlı|В сети|接続済み|
    已连接|연결됨|متصل`.split('|'),
  loading: `Downloading|Uploading|Loadings|Unloading dock|Waiter|Momentum|Geladen|Ladestation|Charge|Cargado|Carico|
    Carregado|Geladen|Ładunek|Laddat|Yüklendi|Загружено|完了|加载完毕|완료|تم|Patient|Attends|Wartung|Laden`.split('|'),
}

const MEANINGS = Object.keys(SAYS) as Meaning[]

test.each(MEANINGS)('texts that mean "%s" are recognised, others are not', (meaning) => {
  const [said, others] = [SAYS[meaning], SAYS_NOT[meaning]].map((texts) => texts.map((text) => text.trim()))
  if (said === undefined || others === undefined) return expect.fail('no texts')
  expect(Math.min(said.length, others.length)).toBeGreaterThan(20)
  expect(said.filter((text) => !hasMeaning(text, meaning))).toEqual([])
  expect(others.filter((text) => hasMeaning(text, meaning))).toEqual([])
})

test.each(MEANINGS)('every phrase of "%s" in every language is found in a sentence', (meaning) => {
  for (const language of LANGUAGES) {
    const phrases = TABLES[meaning][language].split(',').map((phrase) => phrase.trim())
    expect(phrases.length).toBeGreaterThan(4)
    for (const phrase of phrases) {
      expect({ phrase, found: hasMeaning(`(${phrase.toUpperCase()})`, meaning) || isTurkish(language) }).toEqual({
        phrase,
        found: true,
      })
      expect({ phrase, found: hasMeaning(phrase, meaning) }).toEqual({ phrase, found: true })
    }
  }
})

/** Upper case of a dotless letter is another letter. */
const isTurkish = (language: string) => language === 'tr'

test.each([
  ['Not now', true],
  ['Close dialog', true],
  ['CLOSE', true],
  ['No, thanks!', true],
  ['×', true],
  ['X', true],
  ['Fenster schließen', true],
  ['关闭', true],
  ['关闭对话框', true],
  ['지금은 안 함', true],
  ['Close account', false],
  ['Cancel booking', false],
  ['Close and delete', false],
  ['Skip the line and pay', false],
  ['', false],
  ['关闭账户', false],
  ['No', false],
  ['OK', false],
])('"%s" says nothing but a dismissal: %s', (text, expected) => {
  expect(isOnlyMeaning(text, 'dismiss')).toBe(expected)
})

test('no phrase both dismisses and agrees', () => {
  const agreeing = Object.values(AGREE_PHRASES).flatMap((list) => list.split(','))
  const both = agreeing.map((phrase) => phrase.trim()).filter((phrase) => isOnlyMeaning(phrase, 'dismiss'))
  expect(both).toEqual([])
})

test('the found phrase is a part of the text, and a word inside another word is never found', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SAYS.failure), fc.constantFrom('x', 'ß', 'й'), (text, letter) => {
      const phrase = findPhrase(text, 'failure') ?? ''
      expect(phrase).not.toBe('')
      const isJoined = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(phrase)
      if (!isJoined) expect(hasMeaning(`${letter}${phrase}${letter}`.replaceAll(' ', letter), 'failure')).toBe(false)
    }),
  )
})

test('any text can be searched, also a very long one', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), (text) => {
      for (const meaning of MEANINGS) expect(typeof hasMeaning(text, meaning)).toBe('boolean')
    }),
  )
  const long = 'not '.repeat(200_000)
  expect(hasMeaning(long, 'failure')).toBe(false)
})

test('a sign stands for a status, but not beside a number', () => {
  expect(hasMeaning('⏳', 'waiting')).toBe(true)
  expect(hasMeaning('🕓 Outgoing', 'waiting')).toBe(true)
  expect(hasMeaning('⚠ Check the address', 'failure')).toBe(true)
  expect(hasMeaning('🕓 8:00', 'waiting')).toBe(false)
  expect(hasMeaning('✓', 'failure') || hasMeaning('✓', 'waiting')).toBe(false)
})
