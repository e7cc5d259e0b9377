import type { PhraseTable } from './language.ts'

/** What a screen says while it is being filled. */
export const LOADING_PHRASES: PhraseTable = {
  en: 'loading, please wait, one moment, just a moment, hold on, refreshing, fetching, connecting',
  de: 'wird geladen, lädt, wird aktualisiert, bitte warten, einen moment, moment bitte',
  fr: 'chargement, chargement en cours, veuillez patienter, patientez, un instant, actualisation, connexion en cours',
  es: 'cargando, espere, espere por favor, espera un momento, un momento, actualizando, conectando',
  it: 'caricamento, caricamento in corso, attendere, attendi, un momento, aggiornamento in corso, connessione in corso',
  pt: 'carregando, a carregar, aguarde, por favor aguarde, um momento, atualizando, a atualizar, conectando',
  nl: 'bezig met laden, wordt geladen, even geduld, een moment, vernieuwen, verbinding maken',
  pl: 'ładowanie, wczytywanie, proszę czekać, chwileczkę, odświeżanie, łączenie',
  sv: 'laddar, läser in, läses in, vänta, vänligen vänta, ett ögonblick, uppdaterar, ansluter',
  tr: 'yükleniyor, lütfen bekleyin, bir dakika, bekleyin, yenileniyor, bağlanıyor',
  ru: 'загрузка, загружается, подождите, пожалуйста подождите, одну минуту, минуточку, обновление, подключение',
  ja: '読み込み中, 読込中, ロード中, お待ちください, 少々お待ち, 更新中, 接続中',
  zh: '加载中, 正在加载, 请稍候, 请稍等, 载入中, 正在载入, 刷新中, 连接中, 載入中, 正在載入, 請稍候, 連線中',
  ko: '로드 중, 로딩 중, 로딩중, 불러오는 중, 잠시만 기다려, 기다려 주세요, 새로고침 중, 연결 중',
  ar: 'جار التحميل, جارٍ التحميل, جاري التحميل, يرجى الانتظار, الرجاء الانتظار, لحظة من فضلك, جار الاتصال, جارٍ الاتصال',
}
